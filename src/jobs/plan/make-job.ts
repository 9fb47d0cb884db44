import { hash } from 'node:crypto'
import { join, normalize } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { withLock } from '../../files/lock.ts'
import { type Earlier, refuseNewerJobs, startedMeanwhile } from '../history/earlier-jobs.ts'
import { type JobState, readJobState } from '../history/job-state.ts'
import type { FindingText } from '../input/findings.ts'
import type { Findings } from '../input/row.ts'
import {
  dropDraft,
  finishDraft,
  isJob,
  type JobDraft,
  type JobPaths,
  openDraft,
  removeJob,
} from '../store/job-folder.ts'
import { withJobLock } from '../store/job-lock.ts'
import type { LeftOut } from './left-out.ts'
import { type Part, PlanBuilder } from './plan-builder.ts'
import type { JobNoun, JobTotals, PlanHead } from './plan-format.ts'
import type { Matching, PlanningContext } from './planning.ts'
import type { FieldCount, Preview } from './preview.ts'
import type { MissingRecords } from './references.ts'
import { Scratch } from './scratch.ts'

/** A job that was planned and not started. */
export interface MadeJob {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: JobTotals
  /** The members that it writes. */
  readonly fields: readonly FieldCount[]
  /** What it changes, as values. */
  readonly preview: Preview
  /** The first rows and members that are left out. */
  readonly leftOut: readonly LeftOut[]
  /** The first of the rows that fail without a request. */
  readonly failing: readonly LeftOut[]
  /** The number of requests of the recheck of an upsert; undefined when there is none. */
  readonly recheckRequests?: number | undefined
  /** How the records of an import were found; undefined if none were looked for. */
  readonly matching?: Matching | undefined
  /** Of a merge: the jobs that re-point records before it, one for each object that names losers. */
  readonly first?: readonly MadeJob[]
  /** By noun: the records that are created before it. */
  readonly createFirst?: Readonly<Record<string, number>>
  /** A question that must be confirmed, beside the changes. */
  readonly question?: string | undefined
}

export type MadeImport =
  | {
      readonly type: 'made'
      readonly job: MadeJob
      /** How the input is read. */
      readonly lines: readonly string[]
      /** The rows that are left out, with the reasons. */
      readonly leftLines: readonly string[]
      /** About rows that are rejected; none without `--rejects`. */
      readonly rejected?: FindingText
      /** What is to be created first; see ImportRequest. */
      readonly missing?: readonly MissingRecords[]
    }
  /** An earlier job has the same input: it is resumed, or is done. No new job was created. */
  | { readonly type: 'same'; readonly job: JobState }
  /** No job was created. */
  | {
      readonly type: 'refused'
      readonly findings: Findings
      readonly text: FindingText
      /** The number of rows with errors, if it is above `--max-rejects`. */
      readonly tooMany?: number
      /** What to change, if more is known than that the rows have errors. */
      readonly hint?: string
    }

/** A job that is being planned: nothing is left of it unless it is finished. */
export class PlanDraft {
  readonly files: JobDraft
  readonly scratch: Scratch
  #begun: { readonly head: PlanHead; readonly builder: PlanBuilder } | undefined

  private constructor(files: JobDraft) {
    this.files = files
    this.scratch = new Scratch(files.folder)
  }

  static async open<Made>(files: JobDraft, work: (draft: PlanDraft) => Promise<Made>): Promise<Made> {
    let draft: PlanDraft | undefined
    try {
      draft = new PlanDraft(files)
      return await work(draft)
    } finally {
      if (draft) draft.#close()
      dropDraft(files)
    }
  }

  begin(head: PlanHead, part?: Part): { readonly head: PlanHead; readonly builder: PlanBuilder } {
    this.#begun = { head, builder: new PlanBuilder(this, head, part) }
    return this.#begun
  }

  /** Nothing of the draft is open when `finish` renames its file. */
  async finish(finish: Finish = finishDraft): Promise<MadeJob> {
    if (!this.#begun) throw new Error('a job was to be finished that was not begun')
    const { head, builder } = this.#begun
    const end = builder.end()
    this.#close()
    const { fields, leftOut, failing, preview } = builder
    const left = { leftOut: leftOut.first, failing: failing.first }
    return { paths: await finish(this.files), head, end, fields: fields.list(), preview: preview.list(), ...left }
  }

  #close(): void {
    this.#begun?.builder.close()
    this.scratch.close()
  }
}

/** What distinguishes a job from others that the same command line makes. */
export type JobIdentity = Omit<
  PlanHead,
  'crm_plan' | 'job' | 'account' | 'command' | 'input' | 'made_at' | 'version' | 'applied'
> &
  Partial<Pick<PlanHead, 'input'>>

/** The jobs of one chain, in the order in which they are made. */
export class ChainDraft {
  #first: string | undefined
  #count = 0

  add(job: string): NonNullable<PlanHead['chain']> {
    this.#first ??= job
    this.#count += 1
    return { first: this.#first, place: this.#count }
  }

  /** The last job was dropped: a chain begins with a job that exists. */
  takeBack(): void {
    this.#count -= 1
    if (this.#count === 0) this.#first = undefined
  }
}

interface MakeOptions {
  readonly part?: Part
  readonly finish?: Finish
  readonly chain?: ChainDraft | undefined
}

/** Makes a job of the operations that `fill` adds; if it throws, nothing is left of the job. */
export function makeJob(
  context: PlanningContext,
  identity: JobIdentity,
  fill: (builder: PlanBuilder, draft: PlanDraft) => Promise<void>,
  { part, finish, chain }: MakeOptions = {},
): Promise<MadeJob> {
  return PlanDraft.open(openDraft(context.draftsFolder, context.nowMs()), async (draft) => {
    const { id } = draft.files
    const head = planHead(context, { ...identity, ...(chain && { chain: chain.add(id) }) }, id)
    const { builder } = draft.begin(head, part)
    await fill(builder, draft)
    return draft.finish(finish)
  })
}

export function planHead(
  { account, command, version, nowMs }: PlanningContext,
  identity: JobIdentity,
  job: string,
): PlanHead {
  return { crm_plan: 1, job, account, command, input: undefined, ...identity, made_at: nowMs(), version }
}

/**
 * Removes plans that were not confirmed, or whose process ended before the first row: they have sent nothing, and records may
 * have changed since, so they are planned again. CrmError `conflict` if another process is starting one of them,
 * or one has started since.
 */
export async function dropPlanned(context: PlanningContext, planned: readonly JobPaths[]): Promise<void> {
  // A dry run changes nothing.
  if (context.draftsFolder !== context.jobsFolder) return
  for (const paths of planned) {
    await withJobLock(paths, async () => {
      if (!isJob(paths)) return
      if ((await readJobState(paths)).progress.lastOpen) throw startedMeanwhile(paths.id)
      removeJob(paths)
    })
  }
}

interface Planned {
  readonly run: string
  readonly earlier: Extract<Earlier, { readonly type: 'before' }>
}

type Finish = (files: JobDraft) => Promise<JobPaths>

/** Two processes that plan the same rows at once each see no job of the other: only the first one makes a job. */
export function finishAlone(context: PlanningContext, { run, earlier }: Planned): Finish {
  const known = [...earlier.jobs.map(({ paths }) => paths), ...earlier.known]
  const { account, jobsFolder } = context
  return finishFirst(context, {
    planned: earlier.planned,
    refuseNewer: () => refuseNewerJobs(jobsFolder, { account, run }, known),
  })
}

interface First {
  /** Jobs that were known when planning began and had sent nothing; they are removed. */
  readonly planned: readonly JobPaths[]
  /** Throws if another process has made a job since. */
  readonly refuseNewer: () => void
}

export function finishFirst(context: PlanningContext, { planned, refuseNewer }: First): Finish {
  const { jobsFolder, draftsFolder } = context
  if (draftsFolder !== jobsFolder) return finishDraft
  return (files) =>
    withLock(join(jobsFolder, '.starting'), async () => {
      refuseNewer()
      await dropPlanned(context, planned)
      return finishDraft(files)
    })
}

const RUN_CHARS = 22

interface RunParts {
  readonly account: string
  readonly kind: string
  readonly noun: JobNoun
  /** Flags that change the operation of a row. */
  readonly mapping: readonly (readonly [flag: string, value: string | readonly string[] | undefined])[]
  /** As typed. */
  readonly inputName: string
}

/**
 * The id of a run: the same command with the same file is the same run, also on another machine, so that its rows have the
 * same keys. Input from stdin has no name, so it needs one.
 */
export function runId({ account, kind, noun, mapping, inputName }: RunParts): string {
  if (inputName === '-') {
    throw new CrmError('usage', 'input from stdin needs --run-id, so that a second run can be recognised', {
      hint: 'add --run-id NAME, and the same one when you run it again',
    })
  }
  const parts = JSON.stringify([
    account,
    kind,
    noun,
    mapping.filter(([, value]) => value !== undefined),
    normalize(inputName),
  ])
  return hash('sha256', parts, 'base64url').slice(0, RUN_CHARS)
}
