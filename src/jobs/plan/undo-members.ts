import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { fieldsOfJob } from '../history/job-state.ts'
import type { JobPaths } from '../store/job-folder.ts'
import type { PlanOperation } from './plan-format.ts'

/** CrmError `usage` for a member that the job did not write. */
export function refuseUnwritten(paths: JobPaths, only: readonly string[]): void {
  const written = fieldsOfJob(paths)
  const wrong = only.find((name) => !written.includes(name))
  if (wrong === undefined) return
  const what = written.length === 0 ? 'it wrote none' : `it wrote ${written.join(', ')}`
  throw new CrmError('usage', `--fields: ${paths.id} did not write ${wrong}; ${what}`, {
    hint: `name members that it wrote, or leave out --fields`,
    job: paths.id,
  })
}

/** Operations of the job of which an undo of some members reverts nothing. */
export interface Stayed {
  create: number
  delete: number
}

/** With `only` the changes of records alone; what the job created or deleted is counted. */
export function isChosen(
  { head: { do: kind } }: PlanOperation,
  only: readonly string[] | undefined,
  stayed: Stayed,
): boolean {
  if (!only) return true
  if (kind === 'create' || kind === 'delete') stayed[kind]++
  return kind === 'update'
}

export function stayedLines({ create, delete: deleted }: Stayed): readonly string[] {
  const parts = [create > 0 ? `${create} created` : '', deleted > 0 ? `${deleted} deleted` : ''].filter(Boolean)
  return parts.length === 0 ? [] : [`Left unchanged because of --fields: ${parts.join(', ')}.`]
}

/** Records to be deleted that show neither a version nor a time of change. */
export interface Unseen {
  count: number
  /** Members that have values which the job did not write. */
  readonly names: Set<string>
}

const MOST_NAMED = 5

export function addUnseen(unseen: Unseen, record: CrmRecord, written: JsonObject): void {
  unseen.count += 1
  for (const [name, value] of Object.entries(record)) {
    // An object may have members that the job wrote by the names of fields.
    const isOther = value !== null && value !== '' && !isJsonObject(value)
    if (isOther && !isReadOnly(name) && !Object.hasOwn(written, name)) unseen.names.add(name)
  }
}

export function unseenLines({ count, names }: Unseen): readonly string[] {
  if (count === 0) return []
  const [records, show] = count === 1 ? ['1 record', 'shows'] : [`${count} records`, 'show']
  const others = [...names].slice(0, MOST_NAMED).join(', ')
  const values = names.size === 0 ? '' : `; values that the job did not write: ${others}`
  return [
    `${records} to delete ${show} neither a version nor a time of change, so that changes by others are not seen${values}.`,
  ]
}
