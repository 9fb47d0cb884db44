import { CrmError } from '../../core/errors.ts'
import { isJsonObject, isSameJson, type JsonObject, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { LeftFailure } from '../../jobs/history/failures.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { CorrectedRow, Correction } from '../../jobs/plan/make-retry.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import { type Assignment, checkedAssignment } from '../list/assignment.ts'
import { type Offered, serverLists } from '../screens.ts'
import { loadYaml } from './edit-record.ts'
import { type Cause, causesOf } from './job-rows.ts'
import type { Parts } from './parts.ts'

export const MOST_EDITED = 100

/** The failed rows as YAML, each under its name and below its reason. */
export interface FailedRowsText {
  readonly text: string
  readonly rows: JsonObject
  readonly names: ReadonlyMap<number, string>
}

async function failedRowsText(failures: readonly LeftFailure[]): Promise<FailedRowsText> {
  const { yamlText } = await loadYaml()
  const rows: JsonObject = {}
  const names = new Map<number, string>()
  const parts: string[] = []
  for (const { operation, last } of failures) {
    const { body, head } = last.operation
    if (!body) continue
    const name = head.line === undefined ? `row ${operation.op + 1}` : `line ${head.line}`
    const key = Object.hasOwn(rows, name) ? `${name}, row ${operation.op + 1}` : name
    rows[key] = parseExactJson(body.toString('utf8')) as JsonObject
    names.set(operation.op, key)
    const reason = safeText(`${last.field ?? ''} ${last.code}: ${last.reason}`.trim())
    parts.push(`# ${reason}\n${yamlText({ [key]: rows[key] })}`)
  }
  return { text: parts.join('\n'), rows, names }
}

/** The edited rows by operation. CrmError `invalid_input` for a row that is none, and for a member that `check` refuses. */
export function editedRows(
  { rows, names }: FailedRowsText,
  patch: JsonObject,
  check: (text: string) => Assignment,
): ReadonlyMap<number, JsonObject> {
  const edited = new Map<number, JsonObject>()
  const ops = new Map(Array.from(names, ([op, name]) => [name, op]))
  for (const [name, after] of Object.entries(patch)) {
    const op = ops.get(name)
    if (op === undefined) throw notRow(name, 'is none of the failed rows', 'keep the names of the rows')
    // A row that is removed from the text is not sent.
    if (after === null) continue
    if (!isJsonObject(after)) throw notRow(name, 'has no members', 'such as stage: Lead')
    const before = rows[name] as JsonObject
    for (const [member, value] of Object.entries(after)) {
      if (!isSameJson(value, before[member])) check(`${member}:=${JSON.stringify(value)}`)
    }
    edited.set(op, after)
  }
  return edited
}

function notRow(name: string, what: string, hint: string): CrmError {
  return new CrmError('invalid_input', `${JSON.stringify(name)} ${what}; nothing was sent`, { hint })
}

export interface Corrected {
  readonly rows: number
  readonly lines: readonly string[]
  send(): Promise<void>
  drop(): void
}

export interface CorrectionRun {
  attempt<Result>(work: (jobs: Jobs) => Promise<Result>): Promise<Result | undefined>
  send(jobs: Jobs, paths: JobPaths): Promise<unknown>
}

export function createJobCorrections({ store, commands }: Parts, { attempt, send }: CorrectionRun) {
  const correct = (id: string, correction: Correction) =>
    attempt(async (jobs): Promise<Corrected> => {
      const { job, rows, samples } = await jobs.plan('correction', { paths: jobs.find(id), correct: correction })
      return {
        rows,
        lines: samples.map(correctedText),
        send: async () => {
          commands.remark(`${rows} rows of ${id} were corrected by ${job.paths.id}: crm jobs show ${job.paths.id}`)
          await attempt((again) => send(again, job.paths))
        },
        drop: () => jobs.of(job.paths).drop(),
      }
    })

  return {
    /** Its failures by cause, the most frequent first. */
    causes: async (id: string) => (await attempt((jobs) => causesOf(jobs, jobs.find(id)))) ?? [],
    /** The file of the failed rows, if one of them was rejected before it was sent: there is no request to correct. */
    failedFile: (id: string) =>
      attempt(async (jobs) => {
        const paths = jobs.find(id)
        for await (const { last } of jobs.left(await jobs.of(paths).state()).rows())
          if (!last.operation.body) return (await jobs.of(paths).reportFailures())?.file
        return undefined
      }),
    /** Checks a member for a correction against the fields and the first rows of the job; see checkedAssignment. */
    checker: (id: string) => attempt((jobs) => checkerOf(jobs, jobs.find(id), store.get().offered)),
    /** Plans the rows of one cause again, with a member changed in all of them; sends nothing yet. */
    correct: (id: string, { code, field }: Cause, [name, value]: Assignment) =>
      correct(id, ({ last }, body) =>
        last.code === code && last.field === field ? { ...body, [name]: value } : undefined,
      ),
    /** As `correct`, with what is sent in place of each row, by its operation. */
    correctRows: (id: string, rows: ReadonlyMap<number, JsonObject>) =>
      correct(id, ({ operation }) => rows.get(operation.op)),
    /** The first of its failed rows as a text to edit, and the number of all of them. */
    failedRows: (id: string) =>
      attempt(async (jobs) => {
        const failures: LeftFailure[] = []
        let count = 0
        for await (const failure of jobs.left(await jobs.of(jobs.find(id)).state()).rows()) {
          if (!failure.last.operation.body) continue
          count += 1
          if (failures.length < MOST_EDITED) failures.push(failure)
        }
        return { ...(await failedRowsText(failures)), count }
      }),
  }
}

const MOST_LOOKED_AT = 200

async function checkerOf(jobs: Jobs, paths: JobPaths, { fields }: Offered): Promise<(text: string) => Assignment> {
  const { noun } = (await jobs.of(paths).state()).head
  const rows: CrmRecord[] = []
  for await (const { body } of jobs.of(paths).changes()) {
    if (rows.push(body) >= MOST_LOOKED_AT) break
  }
  const name = serverLists().find((list) => list === noun)
  return (text) => checkedAssignment(text, noun, rows, name && fields[name])
}

function correctedText({ line, id, before, after }: CorrectedRow): string {
  const row = line === undefined ? (id ?? '') : `line ${line}`
  const text = (body: JsonObject, name: string) => jsonText(body[name] ?? null)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => !isSameJson(before[name] ?? null, after[name] ?? null))
  const changes = changed.map((name) => `${name} ${text(before, name)} becomes ${text(after, name)}`)
  return safeText(`${row}: ${changes.length === 0 ? 'unchanged' : changes.join(', ')}`)
}
