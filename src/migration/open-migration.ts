import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../api/api.ts'
import { CrmError } from '../core/errors.ts'
import { idText } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { fieldOf, RECORD_RESOURCES, RESOURCES, type Resource } from '../core/resources/registry.ts'
import { makeTemporaryFolder } from '../files/folders.ts'
import { withLock } from '../files/lock.ts'
import { ensurePrivateFolder } from '../files/private-file.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MadeJob } from '../jobs/plan/make-job.ts'
import type { JobNoun } from '../jobs/plan/plan-format.ts'
import { type RowRules, rowRules } from '../jobs/plan/planning.ts'
import type { JobPaths } from '../jobs/store/job-folder.ts'
import type { CarryRules, LinkTarget } from './carry.ts'
import { chainOf, collectResults, type Doubtful, unsettledJobs } from './chain.ts'
import { type IdMap, readIdMap, writeIdMap } from './id-map.ts'
import { type Pair, pairOf } from './pair.ts'
import { askMembers, makeJobOf, type PlanParts, planAll, type ResourcePlan, type SentPart } from './plan-jobs.ts'
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
  /** `--only`; undefined: all. */
  readonly only: readonly string[] | undefined
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
  /** Reads the source, and of the target what has records of it. */
  read(): Promise<void>
  /** The resources that one of the servers lacks, with the reason. */
  readonly lacks: ReadonlyMap<Resource, string>
  missingStages(): readonly MissingStage[]
  plans(): readonly ResourcePlan[]
  /** The job of a resource, recorded before it is sent; undefined if nothing is left to be sent. */
  begin(type: Resource, what: SentPart): Promise<MadeJob | undefined>
  /** Takes the results of the jobs into the id map. */
  settle(): Promise<void>
  /** What was created or changed since it was read. */
  readTarget(types: readonly Resource[]): Promise<void>
  verified(): readonly Verified[]
}

/** The objects that a migration can read. */
export function sourceObjects({ connector }: Pick<Api, 'connector'>): readonly Resource[] {
  return RECORD_RESOURCES.filter((type) => connector.offers(type, 'list'))
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
  readonly lacks = new Map<Resource, string>()
  readonly #parts: MigrationParts
  readonly #copies: Copies
  readonly #ids: IdMap
  readonly #rules = new Map<Resource, CarryRules>()
  /** Each after those that it refers to. */
  #types: readonly Resource[] = []
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
    const { from, only } = this.#parts
    const { source } = this.#copies
    const asked = RECORD_RESOURCES.filter((type) => {
      const { isOwn, plural }: ResourceDefinition = RESOURCES[type]
      return only ? only.includes(plural) : !isOwn || from.connector.offers(type, 'list')
    })
    for (const type of asked) {
      const reason = this.#lackOf(type)
      if (reason !== undefined) this.lacks.set(type, reason)
    }
    for (const type of asked.filter((each) => !this.lacks.has(each))) this.#rules.set(type, await this.#rulesOf(type))
    this.#types = inOrder(this.#rules)
    for (const type of this.#types) {
      const { plural } = RESOURCES[type]
      await from.askAll(type)
      this.#askLinks(type)
      const onRead = (count: number) => this.#parts.onRead(count, `${plural} of the source`)
      await source.read(type, recordsOf(from, type, source), onRead)
    }
    if (this.#types.includes('deal')) this.#stageOf = stageChoice(await this.#readStages())
    await this.readTarget(this.#types.filter((type) => this.#ids.has(type)))
  }

  missingStages(): readonly MissingStage[] {
    return this.#usedStages().flatMap((used) => {
      const place = this.#stageOf(used)
      return 'reason' in place ? [place] : []
    })
  }

  plans(): readonly ResourcePlan[] {
    return planAll(this.#types.map((type) => this.#plan(type)))
  }

  async begin(type: Resource, what: SentPart): Promise<MadeJob | undefined> {
    const { jobs } = this.#parts
    const job = await makeJobOf(jobs, this.pair, this.#plan(type), what)
    if (!job) return undefined
    const { noun } = job.head
    this.#ids.begun.set(noun, (this.#ids.begun.get(noun) ?? 0) + 1)
    this.#ids.open.add(job.paths.id)
    await writeIdMap(this.pair, this.#ids)
    return job
  }

  async readTarget(types: readonly Resource[]): Promise<void> {
    const { to, onRead } = this.#parts
    const { target } = this.#copies
    for (const type of types.filter((each) => lackOf(to, each, 'list') === undefined)) {
      askMembers(this.#plan(type))
      const what = `${RESOURCES[type].plural} of the target`
      await target.read(type, recordsOf(to, type, target), (count) => onRead(count, what))
    }
  }

  verified(): readonly Verified[] {
    const { to, note } = this.#parts
    return this.#types.flatMap((type) => {
      const reason = lackOf(to, type, 'list')
      if (reason === undefined) return [verifyRecords(this.#plan(type))]
      note(`${RESOURCES[type].plural} cannot be verified: ${reason}.`)
      return []
    })
  }

  #plan(type: Resource): PlanParts {
    const rules = this.#rules.get(type)
    if (!rules) throw new Error(`${RESOURCES[type].plural} of the source were not read`)
    const isChangeable = lackOf(this.#parts.to, type, 'update') === undefined
    return { ...this.#copies, ids: this.#ids, doubtful: this.#doubtful, rules, isChangeable }
  }

  /** Why a resource cannot be migrated. */
  #lackOf(type: Resource): string | undefined {
    const { from, to } = this.#parts
    const ends = [
      ['source', lackOf(from, type, 'list')],
      ['target', lackOf(to, type, 'create')],
    ] as const
    const lack = ends.find(([, reason]) => reason !== undefined)
    if (lack) return `the ${lack[0]}: ${lack[1]}`
    return type === 'note' && this.lacks.has('deal') ? 'deals are not migrated' : undefined
  }

  /** Links are read where the target has a field for them, and the records that they name are migrated. */
  #askLinks(type: Resource): void {
    const { from, note } = this.#parts
    const { links = new Map<string, LinkTarget>(), referenceOf } = this.#rules.get(type) ?? {}
    const isCarried = (name: string) => links.has(name) && this.#rules.has(referenceOf?.(name) ?? type)
    const { selection } = from.connector.rules(type)
    selection.ask(linkFields(from, type).filter(isCarried))
    const left = linkFields(from, type).filter((name) => !isCarried(name))
    if (left.length > 0) note(`Not carried over, of ${RESOURCES[type].plural}: links in ${left.join(', ')}`)
  }

  #usedStages(): readonly UsedStage[] {
    const used = new Map<string, UsedStage>()
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

  async #rulesOf(type: Resource): Promise<CarryRules> {
    const { from, to } = this.#parts
    const noun = RESOURCES[type].plural as JobNoun
    const [own, rules] = [await rowRules(from, noun), await rowRules(to, noun)]
    const members = await rules.members()
    const known = members && new Set(members.names)
    return {
      type,
      ids: this.#ids,
      rules,
      stageOf: (used) => this.#stageOf(used),
      isSetBySource: (name) => own.isReadOnly(name),
      isKnown: (name) =>
        !known || rules.linkFields.includes(name) || (known.has(name) && members?.isReadOnly(name) !== true),
      referenceOf: (name) => referenceOf(type, rules, name),
      links: await linkTargets(own, rules),
    }
  }
}

/** Those that requests of their own read and write. */
function linkFields({ connector }: Pick<Api, 'connector'>, type: Resource): readonly string[] {
  return Object.keys(connector.document.resources[type]?.links?.fields ?? {})
}

/** `company_ids` of the source may be `company_id` of the target, and the other way round. */
async function linkTargets(own: RowRules, rules: RowRules): Promise<CarryRules['links']> {
  const targets = new Map<string, LinkTarget>()
  for (const { field: name, isLink = false } of own.relations) {
    const others = [name, name.replace(/_ids$/, '_id'), name.replace(/_id$/, '_ids')]
    const found = others.flatMap((each) => rules.relations.find(({ field }) => field === each) ?? [])[0]
    // Both servers have it as a plain field.
    if (!found || (found.field === name && !found.isLink && !isLink)) continue
    const types = found.isLink ? await rules.linkTypes(found.field) : undefined
    const labels = [...(types?.keys() ?? [])].filter((label) => label !== undefined)
    targets.set(name, { field: found.field, isSingle: !found.isMany, labels: new Set(labels) })
  }
  return targets
}

/** Why a server cannot do this with a resource. */
function lackOf(api: Api, type: Resource, operation: 'list' | 'create' | 'update'): string | undefined {
  try {
    api.require(type, operation)
    return undefined
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_supported') return error.message
    throw error
  }
}

/** Of a member that neither crm nor the connector describes, the name says it. */
function referenceOf(type: Resource, { relations }: RowRules, name: string): Resource | undefined {
  const { parent }: ResourceDefinition = RESOURCES[type]
  const field = fieldOf(type, name)
  const described = relations.find((each) => each.field === name)?.to ?? (field?.to as Resource | undefined)
  const named = parent === undefined ? RECORD_RESOURCES : [parent]
  return (
    described ?? (field && !parent ? undefined : named.find((each) => [`${each}_id`, `${each}_ids`].includes(name)))
  )
}

/** Each after those that it refers to; of a circle, one comes before. */
function inOrder(all: ReadonlyMap<Resource, CarryRules>): readonly Resource[] {
  const ordered = new Set<Resource>()
  const seen = new Set<Resource>()
  const add = (type: Resource) => {
    const rules = all.get(type)
    if (!rules || seen.has(type)) return
    seen.add(type)
    const fields = [...Object.keys(RESOURCES[type].fields), ...rules.rules.relations.map(({ field }) => field)]
    for (const name of fields) add(rules.referenceOf(name) ?? type)
    ordered.add(type)
  }
  for (const type of all.keys()) add(type)
  return [...ordered]
}
