import { isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { LeftFailure } from '../../jobs/history/failures.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { CorrectedRow, Correction } from '../../jobs/plan/make-retry.ts'
import type { JobPaths } from '../../jobs/store/job-folder.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import { type Assignment, checkedAssignment } from '../list/assignment.ts'
import type { Offered } from '../offered.ts'
import { serverLists } from '../screens.ts'
import type { DoneCommands } from './done-commands.ts'
import { type FailedRowsText, failedRowsText, MOST_EDITED } from './failed-rows-text.ts'
import { type Cause, causesOf } from './job-row.ts'

/** Failed rows of a job, corrected and sent as a job of their own. */
export interface JobCorrections {
  /** Its failures by cause, the most frequent first. */
  causes(id: string): Promise<readonly Cause[]>
  /** The file of the failed rows, if one of them was rejected before it was sent: there is no request to correct. */
  failedFile(id: string): Promise<string | undefined>
  /** Checks a member for a correction against the fields and the first rows of the job; see checkedAssignment. */
  checker(id: string): Promise<((text: string) => Assignment) | undefined>
  /** Plans the rows of one cause again, with a member changed in all of them; sends nothing yet. */
  correct(id: string, cause: Cause, member: readonly [string, JsonValue]): Promise<Corrected | undefined>
  /** The first of its failed rows as a text to edit, and the number of all of them. */
  failedRows(id: string): Promise<(FailedRowsText & { readonly count: number }) | undefined>
  /** As `correct`, with what is sent in place of each row, by its operation. */
  correctRows(id: string, rows: ReadonlyMap<number, JsonObject>): Promise<Corrected | undefined>
}

export interface Corrected {
  readonly rows: number
  /** The changes of the first rows, for people. */
  readonly lines: readonly string[]
  send(): Promise<void>
  drop(): void
}

interface Parts {
  /** Shows an error, and returns undefined then. */
  attempt<Result>(work: (jobs: Jobs) => Promise<Result>): Promise<Result | undefined>
  send(jobs: Jobs, paths: JobPaths): Promise<unknown>
  readonly commands: DoneCommands
  readonly offered: () => Offered
}

export function createJobCorrections({ attempt, send, commands, offered }: Parts): JobCorrections {
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
    causes: async (id) => (await attempt((jobs) => causesOf(jobs, jobs.find(id)))) ?? [],
    failedFile: (id) =>
      attempt(async (jobs) => {
        const paths = jobs.find(id)
        for await (const { last } of jobs.left(await jobs.of(paths).state()).rows())
          if (!last.operation.body) return (await jobs.of(paths).reportFailures())?.file
        return undefined
      }),
    checker: (id) => attempt((jobs) => checkerOf(jobs, jobs.find(id), offered())),
    correct: (id, { code, field }, [name, value]) =>
      correct(id, ({ last }, body) =>
        last.code === code && last.field === field ? { ...body, [name]: value } : undefined,
      ),
    correctRows: (id, rows) => correct(id, ({ operation }) => rows.get(operation.op)),
    failedRows: (id) =>
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
