import { CrmError } from '../../core/errors.ts'
import { isJsonObject, isSameJson, type JsonObject, parseExactJson } from '../../core/json.ts'
import type { LeftFailure } from '../../jobs/history/failures.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Assignment } from '../list/assignment.ts'

/** Rows of a text that a person can still read. */
export const MOST_EDITED = 100

/** The failed rows as YAML, each under its name and below its reason. */
export interface FailedRowsText {
  readonly text: string
  /** The rows by their names in the text. */
  readonly rows: JsonObject
  /** The name of a row by its operation. */
  readonly names: ReadonlyMap<number, string>
}

export async function failedRowsText(failures: readonly LeftFailure[]): Promise<FailedRowsText> {
  const { yamlText } = await import('./yaml-text.ts')
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
