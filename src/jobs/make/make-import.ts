import { type Draft, dropDraft, finishDraft, type JobPaths, openDraft } from '../folder/job-folder.ts'
import type { Noun, PlanEnd, PlanHead } from '../plan/plan-head.ts'
import { openRows } from '../read/open-rows.ts'
import type { Findings, RowKind, RowOptions, Verdict } from '../row.ts'
import { createOf } from './import-row.ts'
import type { MakeWorld } from './make-world.ts'
import { PlanBuilder } from './plan-builder.ts'
import { runId } from './run-id.ts'
import { spoolInput } from './spool-input.ts'

/** How the input is read: what the person said, and nothing else. */
export type ReadFlags = Omit<RowOptions, 'path' | 'name' | 'kind' | 'stages' | 'signal' | 'note'>

export interface ImportRequest {
  readonly noun: Noun
  /** A file, or `-`. */
  readonly inputName: string
  readonly read: ReadFlags
  readonly stages: readonly string[] | undefined
  /** `--run-id`; undefined: of the command and the name of the file. */
  readonly run: string | undefined
}

/** A job that was made and not begun. */
export interface MadeJob {
  readonly paths: JobPaths
  readonly head: PlanHead
  readonly end: PlanEnd
}

export type MadeImport =
  | { readonly is: 'made'; readonly job: MadeJob; readonly verdict: Verdict }
  /** Nothing was kept. */
  | { readonly is: 'refused'; readonly findings: Findings; readonly verdict: Verdict }

/** Reads and checks the whole input; only when nothing is wrong with it there is a job. */
export async function makeImport(world: MakeWorld, request: ImportRequest): Promise<MadeImport> {
  const draft = openDraft(world.jobsFolder, world.nowMs())
  try {
    const made = await fillDraft(world, request, draft)
    if (made.is === 'refused') dropDraft(draft)
    return made
  } catch (error) {
    dropDraft(draft)
    throw error
  }
}

const KINDS: Readonly<Record<Noun, RowKind>> = { contacts: 'contact', deals: 'deal', notes: 'note' }

async function fillDraft(world: MakeWorld, request: ImportRequest, draft: Draft): Promise<MadeImport> {
  const { noun, inputName, read, stages } = request
  const { paths } = draft
  const run =
    request.run ?? runId({ account: world.account, kind: 'import', noun, mapping: mappingOf(read), inputName })
  const input = await spoolInput(inputName, world.stdin(), paths.input)
  const head: PlanHead = {
    crm_plan: 1,
    job: paths.id,
    kind: 'import',
    noun,
    run,
    account: world.account,
    command: world.command,
    input,
    of: undefined,
    made_at: world.nowMs(),
    version: world.version,
  }
  const source = await openRows({
    ...read,
    ...{ path: paths.input, name: inputName, kind: KINDS[noun], stages, signal: world.signal, note: world.note },
  })
  const builder = new PlanBuilder(paths, head)
  let isEnded = false
  try {
    for await (const rows of source.rows()) for (const row of rows) builder.add(createOf(noun, row))
    const { findings, verdict } = source
    if (findings.count > 0) return { is: 'refused', findings, verdict }
    const end = builder.end()
    isEnded = true
    return { is: 'made', job: { paths: finishDraft(draft), head, end }, verdict }
  } finally {
    if (!isEnded) builder.drop()
  }
}

function mappingOf(read: ReadFlags): [string, string | readonly string[] | undefined][] {
  return [
    ['map', read.map],
    ['null', read.nullToken],
    ['compute', read.compute],
    ['format', read.format],
    ['encoding', read.encoding],
    ['delimiter', read.delimiter],
    ['quote', read.quote],
  ]
}
