import { homedir } from 'node:os'
import type { Api } from '../api/api.ts'
import { requiredIn } from '../connector/required-in.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { RATE_SHARE } from '../core/rate-share.ts'
import { matchHint, resourceOf } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Env, InputStream } from '../core/streams.ts'
import type { JobResult, JobsHost } from '../jobs/job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MadeImport } from '../jobs/plan/make-job.ts'
import type { ImportRequest } from '../jobs/plan/plan-rows.ts'
import type { Unproven } from '../jobs/send/services.ts'
import type { JobPaths } from '../jobs/store/job-folder.ts'
import { checkNames } from './call-checks.ts'
import type { ReadCall } from './calls.ts'
import type { ImportCall, ImportedRows, ImportNoun, SendCall } from './client-types.ts'
import { guarded } from './safe-errors.ts'

/** What every job of this client needs. */
export interface JobParts {
  readonly open: () => Promise<Api>
  readonly server: JobsHost['server']
  readonly env: JobsHost['env'] | undefined
  readonly signal: AbortSignal
  readonly version: string
}

const SEND_NAMES = ['concurrency', 'rateShare', 'maxErrors', 'onProgress', 'signal']

/**
 * Keeps the rows on disk, checks all of them, and only then sends them: a row with an error refuses the import before anything is sent.
 * CrmError `partial` if rows failed, with `details.job`.
 */
export function importLibraryRows(
  parts: JobParts,
  noun: ImportNoun,
  rows: Iterable<JsonObject> | AsyncIterable<JsonObject>,
  options: ImportCall,
): Promise<ImportedRows> {
  return guarded(async () => {
    checkNames('importRows', options, ['runId', 'match', 'mode', ...SEND_NAMES])
    const input = new RowStream(rows)
    const jobs = await openLibraryJobs(parts, options, input)
    const request = await requestOf(await parts.open(), jobs, noun, options)
    const made = await jobs.plan('import', request).catch((error: unknown) => {
      throw input.failure ?? error
    })
    return send(jobs, jobOf(made), options)
  })
}

/** Sends what is left of a job, and checks rows in doubt. */
export function resumeJob(parts: JobParts, job: string, options: SendCall = {}): Promise<ImportedRows> {
  return guarded(async () => {
    checkNames('resume', options, SEND_NAMES)
    const jobs = await openLibraryJobs(parts, options)
    return send(jobs, jobs.find(job), options)
  })
}

export async function openLibraryJobs(
  { open, server, env, signal, version }: JobParts,
  call: ReadCall = {},
  stdin: InputStream = new RowStream([]),
): Promise<Jobs> {
  const { openJobs } = await import('../jobs/jobs.ts')
  return openJobs({
    ...{ server, version, api: open, now: Date.now, timing: undefined, isTrial: false, argv: [] },
    env: env ?? { HOME: homedir() },
    signal: call.signal ? AbortSignal.any([signal, call.signal]) : signal,
    stdin: () => stdin,
    note: () => {},
    requireProven: (needed) => requireProvenJob({ open, server, env: env ?? { HOME: homedir() } }, needed),
  })
}

/** What was proven at the address, without a profile. */
async function requireProvenJob(
  { open, server, env }: Pick<JobParts, 'open' | 'server'> & { readonly env: Env },
  needed: Unproven,
): Promise<void> {
  const [{ connectorText }, { requireProven }] = await Promise.all([
    import('../api/connectors/open-connector.ts'),
    import('../settings/proven.ts'),
  ])
  const { baseUrl } = await server()
  const { word } = (await open()).connector
  const hint = `CRM_BASE_URL=${shellWord(baseUrlText(baseUrl))} CRM_CONNECTOR=${shellWord(word)} crm connectors check --write`
  await requireProven(env, { profileName: undefined, baseUrl, text: await connectorText(word) }, { ...needed, hint })
}

async function requestOf(api: Api, jobs: Jobs, noun: ImportNoun, options: ImportCall): Promise<ImportRequest> {
  const { runId, match = [], mode, rateShare = RATE_SHARE } = options
  if (typeof runId !== 'string' || runId === '') {
    throw new CrmError('invalid_input', 'importRows needs a runId', { hint: "such as { runId: 'leads-2026-11' }" })
  }
  const names = [match].flat()
  if (names.length === 0 && mode !== undefined) {
    const hint = `{ match: '${matchHint(resourceOf(noun))}', mode: '${mode}' }`
    throw new CrmError('invalid_input', `the mode ${mode} needs match`, { hint })
  }
  return {
    ...{ noun, kind: 'import', as: 'import', of: undefined, inputName: '-', run: runId, rateShare },
    ...{ isAgain: false, duplicates: 'error', part: undefined, listFindings: undefined, rejects: undefined },
    stages: noun === 'deals' ? await jobs.stages() : undefined,
    match: { names, mode: mode ?? (names.length > 0 ? 'upsert' : 'create') },
    read: {
      ...{ map: [], nullToken: undefined, compute: [], format: 'jsonl', encoding: 'utf-8', delimiter: undefined },
      ...{ quote: undefined, isCsvSafe: false, isTrimmed: false, decimal: undefined, dateOrder: undefined },
      sheet: undefined,
      required: requiredIn(api.connector.document, resourceOf(noun)),
    },
  }
}

function jobOf(made: MadeImport) {
  if (made.type !== 'refused') return made.job.paths
  const { count } = made.findings
  const [first] = made.findings.groups().flatMap(({ samples }) => samples)
  const where = first ? `; first: row ${first.line}${first.column ? `, ${first.column}` : ''}: ${first.message}` : ''
  throw new CrmError('invalid_input', `${count} ${count === 1 ? 'row has an error' : 'errors in the rows'}${where}`, {
    hint: made.hint ?? 'nothing was sent; correct the rows, and import them again',
  })
}

async function send(jobs: Jobs, paths: JobPaths, options: SendCall): Promise<ImportedRows> {
  const { concurrency, rateShare = RATE_SHARE, maxErrors, onProgress } = options
  const terms = {
    ...{ concurrency, rateShare, maxOutageMs: 600_000, isDoubtReopened: true },
    maxErrors: maxErrors === undefined ? undefined : { rows: maxErrors },
  }
  let live: { readonly done: number; readonly failed: number } = { done: 0, failed: 0 }
  let total = 0
  const result = await jobs.of(paths).run(terms, {
    onStart: (progress, plan) => {
      live = progress.counts
      total = plan.count
    },
    onEnd: () => onProgress?.({ done: live.done, failed: live.failed, total }),
    onPause: () => {},
  })
  if (result.error !== undefined) throw result.error
  return accountOf(paths.id, result)
}

function accountOf(job: string, { account: { rows, done, unchanged, skipped } }: JobResult): ImportedRows {
  return { job, rows, done, unchanged, skipped }
}

/** Rows per write to the disk. */
const CHUNK_CHARS = 64 * 1024

/** Rows as lines of JSON, taken one by one. */
class RowStream implements InputStream {
  /** What the rows of the caller threw, as thrown. */
  failure: unknown
  readonly #rows: Iterable<JsonObject> | AsyncIterable<JsonObject>

  constructor(rows: Iterable<JsonObject> | AsyncIterable<JsonObject>) {
    this.#rows = rows
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    let chunk = ''
    try {
      for await (const row of this.#rows) {
        chunk += `${rowText(row)}\n`
        if (chunk.length < CHUNK_CHARS) continue
        yield chunk
        chunk = ''
      }
    } catch (error) {
      this.failure = error
      throw error
    }
    yield chunk
  }
}

function rowText(row: JsonObject): string {
  if (isJsonObject(row)) return JSON.stringify(row)
  throw new CrmError('invalid_input', `a row is ${JSON.stringify(row) ?? typeof row}, expected an object of members`, {
    hint: "such as { name: 'Ada' }; nothing was sent",
  })
}
