import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../api/api.ts'
import { CrmError } from '../core/errors.ts'
import { idText } from '../core/json.ts'
import { RESOURCES } from '../core/resources/registry.ts'
import { makeTemporaryFolder } from '../files/folders.ts'
import { withLock } from '../files/lock.ts'
import { ensurePrivateFolder } from '../files/private-file.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MadeJob } from '../jobs/plan/make-job.ts'
import { rowRules } from '../jobs/plan/planning.ts'
import type { JobPaths } from '../jobs/store/job-folder.ts'
import type { CarryRules } from './carry.ts'
import { chainOf, collectResults, type Doubtful, unsettledJobs } from './chain.ts'
import { type IdMap, readIdMap, writeIdMap } from './id-map.ts'
import { MIGRATED, type Migrated, type Pair, pairOf } from './pair.ts'
import { makeJobOf, type PlanParts, planAll, type ResourcePlan } from './plan-jobs.ts'
import { RecordCopy, recordsOf } from './source-records.ts'
import {
  type MissingStage,
  pipelinesById,
  pipelinesOf,
  type StageRules,
  stageChoice,
  type UsedStage,
} from './stages.ts'
import { type Verified, verifyRecords } from './verify.ts'

export interface MigrationParts {
  readonly from: Api
  readonly to: Api
  /** At the target. */
  readonly jobs: Jobs
  /** The servers, as the accounts of jobs. */
  readonly accounts: Pick<Pair, 'from' | 'to'>
  /** `--map-stage`. */
  readonly stageNames: StageRules['named']
  /** A dry run: only a temporary folder is written. */
  readonly isTrial: boolean
  /** The folder for temporary files. */
  readonly temporary: string
  readonly note: (line: string) => void
  /** Called with the number of further records read. */
  readonly onRead: (count: number, what: string) => void
}

/** One migration. The methods are called in this order. */
export interface Migration {
  readonly pair: Pair
  /** Jobs that have to be sent to their end first. */
  unsettled(): Promise<readonly JobPaths[]>
  /** Reads the source. */
  read(): Promise<void>
  /** The resources that one of the servers lacks, with the reason. */
  readonly lacks: ReadonlyMap<Migrated, string>
  missingStages(): readonly MissingStage[]
  plans(): readonly ResourcePlan[]
  /** The job of a resource, recorded before it is sent; undefined if nothing is left to be sent. */
  begin(type: Migrated): Promise<MadeJob | undefined>
  /** Takes the results of the jobs into the id map. */
  settle(): Promise<void>
  /** Reads the target. */
  verified(): Promise<readonly Verified[]>
}

/** Runs `work` with the migration between two servers, one process at a time. */
export async function withMigration<Result>(
  parts: MigrationParts,
  work: (migration: Migration) => Promise<Result>,
): Promise<Result> {
  const { jobs, accounts, isTrial, temporary } = parts
  const pair = pairOf(isTrial ? jobs.home : await jobs.ensureHome(), accounts)
  const folder = isTrial ? makeTemporaryFolder(join(temporary, 'crm-migrate-')) : pair.folder
  if (!isTrial) {
    await ensurePrivateFolder(join(pair.folder, '..'))
    await ensurePrivateFolder(pair.folder)
  }
  const run = async () => {
    const copies = { source: new RecordCopy(folder, 'source'), target: new RecordCopy(folder, 'target') }
    try {
      return await work(new OpenMigration(parts, pair, copies, await readIdMap(pair)))
    } finally {
      copies.source.close()
      copies.target.close()
    }
  }
  try {
    return isTrial ? await run() : await withLock(pair.lock, run, 0)
  } finally {
    if (isTrial) rmSync(folder, { recursive: true, force: true })
  }
}

interface Copies {
  readonly source: RecordCopy
  readonly target: RecordCopy
}

class OpenMigration implements Migration {
  readonly pair: Pair
  readonly lacks = new Map<Migrated, string>()
  readonly #parts: MigrationParts
  readonly #copies: Copies
  readonly #ids: IdMap
  readonly #rules = new Map<Migrated, CarryRules>()
  #doubtful: Doubtful = new Map()
  #stageOf = stageChoice({ source: [], target: undefined, named: new Map() })

  constructor(parts: MigrationParts, pair: Pair, copies: Copies, ids: IdMap) {
    this.#parts = parts
    this.pair = pair
    this.#copies = copies
    this.#ids = ids
  }

  async unsettled(): Promise<readonly JobPaths[]> {
    const { jobs } = this.#parts
    return unsettledJobs(jobs, chainOf(jobs, this.pair))
  }

  async settle(): Promise<void> {
    const { jobs, isTrial } = this.#parts
    this.#doubtful = await collectResults(jobs, chainOf(jobs, this.pair), this.#ids, isTrial)
    if (!isTrial) await writeIdMap(this.pair, this.#ids)
  }

  async read(): Promise<void> {
    const { from } = this.#parts
    const { source } = this.#copies
    for (const type of MIGRATED) {
      const reason = await this.#lackOf(type)
      if (reason !== undefined) this.lacks.set(type, reason)
    }
    for (const type of this.#types()) {
      const { plural } = RESOURCES[type]
      await from.askAll(type)
      const onRead = (count: number) => this.#parts.onRead(count, `${plural} of the source`)
      await source.read(type, recordsOf(from, type, source), onRead)
    }
    if (!this.lacks.has('deal')) this.#stageOf = stageChoice(await this.#readStages())
    for (const type of this.#types()) this.#rules.set(type, await this.#rulesOf(type))
  }

  missingStages(): readonly MissingStage[] {
    return this.#usedStages().flatMap((used) => {
      const place = this.#stageOf(used)
      return 'reason' in place ? [place] : []
    })
  }

  plans(): readonly ResourcePlan[] {
    return planAll(this.#types().map((type) => this.#plan(type)))
  }

  async begin(type: Migrated): Promise<MadeJob | undefined> {
    const { jobs } = this.#parts
    const job = await makeJobOf(jobs, this.pair, this.#plan(type))
    if (!job) return undefined
    const { noun } = job.head
    this.#ids.begun.set(noun, (this.#ids.begun.get(noun) ?? 0) + 1)
    this.#ids.open.add(job.paths.id)
    await writeIdMap(this.pair, this.#ids)
    return job
  }

  async verified(): Promise<readonly Verified[]> {
    const { to, onRead } = this.#parts
    const { target } = this.#copies
    const results: Verified[] = []
    for (const type of this.#types()) {
      const { plural } = RESOURCES[type]
      try {
        to.require(type, 'list')
      } catch (error) {
        if (!(error instanceof CrmError) || error.code !== 'not_supported') throw error
        this.#parts.note(`${plural} cannot be verified: ${error.message}.`)
        continue
      }
      await target.read(type, recordsOf(to, type, target), (count) => onRead(count, `${plural} of the target`))
      results.push(verifyRecords(this.#plan(type), target))
    }
    return results
  }

  #types(): readonly Migrated[] {
    return MIGRATED.filter((type) => !this.lacks.has(type))
  }

  #plan(type: Migrated): PlanParts {
    const rules = this.#rules.get(type)
    if (!rules) throw new Error(`${RESOURCES[type].plural} of the source were not read`)
    return { source: this.#copies.source, ids: this.#ids, doubtful: this.#doubtful, rules }
  }

  /** Why a resource cannot be migrated. */
  async #lackOf(type: Migrated): Promise<string | undefined> {
    const { from, to } = this.#parts
    const ends = [
      ['source', from, 'list'],
      ['target', to, 'create'],
    ] as const
    for (const [end, api, operation] of ends) {
      try {
        api.require(type, operation)
      } catch (error) {
        if (error instanceof CrmError && error.code === 'not_supported') return `the ${end}: ${error.message}`
        throw error
      }
    }
    return type === 'note' && this.lacks.has('deal') ? 'deals are not migrated' : undefined
  }

  #usedStages(): readonly UsedStage[] {
    const used = new Map<string, UsedStage>()
    if (this.lacks.has('deal')) return []
    for (const { record } of this.#copies.source.all('deal')) {
      const [stage, pipelineId] = [idText(record.stage), idText(record.pipeline_id)]
      if (stage !== undefined) used.set(JSON.stringify([pipelineId, stage]), { stage, pipelineId })
    }
    return [...used.values()]
  }

  async #readStages(): Promise<StageRules> {
    const { from, to, stageNames: named, note } = this.#parts
    const source = (await pipelinesOf(from)) ?? []
    const ids = [...new Set(this.#usedStages().flatMap(({ pipelineId }) => pipelineId ?? []))]
    const target = (await pipelinesOf(to)) ?? (await pipelinesById(to, ids))
    if (!target && ids.length > 0) note('The target lists no pipelines: stages keep their names, and are not checked.')
    return { source, target, named }
  }

  async #rulesOf(type: Migrated): Promise<CarryRules> {
    const { from, to } = this.#parts
    const noun = RESOURCES[type].plural
    const [own, rules] = [await rowRules(from, noun), await rowRules(to, noun)]
    const members = await rules.members()
    const known = members && new Set(members.names)
    return {
      type,
      ids: this.#ids,
      rules,
      stageOf: this.#stageOf,
      isSetBySource: (name) => own.isReadOnly(name),
      isKnown: (name) => !known || (known.has(name) && members?.isReadOnly(name) !== true),
    }
  }
}
