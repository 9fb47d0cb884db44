import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { type Edit, type ListState, rowId, withoutId } from '../list/list-state.ts'

/** `company=Acme`, `amount:=12`, `phone=` for nothing. CrmError `invalid_input` for anything else. */
export function parseAssignment(text: string): readonly [name: string, value: JsonValue] {
  const [, name = '', operator, raw = ''] = /^\s*([\w.-]+?)\s*(:?=)(.*)$/s.exec(text) ?? []
  if (name === '') throw invalid(text)
  if (operator === '=') return [name, raw === '' ? null : raw]
  try {
    return [name, JSON.parse(raw)]
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(text)
    throw error
  }
}

function invalid(text: string): CrmError {
  return new CrmError('invalid_input', `${JSON.stringify(text)} is not a change, expected member=value`, {
    hint: 'such as company=Acme, or amount:=12 for a number, or phone= for nothing',
  })
}

/** Rows that already have the value are not staged. */
export function stage(
  list: ListState,
  rows: readonly CrmRecord[],
  [name, value]: readonly [string, JsonValue],
): ListState {
  const staged = new Map(list.staged)
  for (const row of rows) {
    const id = rowId(row)
    if (id === undefined) continue
    const patch: JsonObject = { ...staged.get(id)?.patch, [name]: value }
    if (isSameJson(row[name] ?? null, value)) delete patch[name]
    if (Object.keys(patch).length === 0) staged.delete(id)
    else staged.set(id, { row, patch })
  }
  return { ...list, staged }
}

/** The staged edits, each with its row as last loaded. */
export function stagedEdits({ rows, staged }: ListState): readonly Edit[] {
  const loaded = new Map(rows.flatMap((row) => (staged.has(rowId(row) ?? '') ? [[rowId(row) ?? '', row]] : [])))
  return Array.from(staged, ([id, { row, patch }]) => ({ row: loaded.get(id) ?? row, patch }))
}

/** Removes the sent members of an edit; members that were edited since stay staged. */
export function unstageSent(list: ListState, { row, patch }: Edit): ListState {
  const id = rowId(row) ?? ''
  const staged = new Map(list.staged)
  const now = staged.get(id)
  const rest = Object.entries(now?.patch ?? {}).filter(([member, value]) => value !== patch[member])
  if (now && rest.length > 0) staged.set(id, { row: now.row, patch: Object.fromEntries(rest) })
  else staged.delete(id)
  return { ...list, staged, sending: withoutId(list.sending, id) }
}
