import { CrmError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { type ListState, rowId } from '../list/list-state.ts'

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
  return new CrmError('invalid_input', `${JSON.stringify(text)} is no change, expected member=value`, {
    hint: 'such as company=Acme, or amount:=12 for a number, or phone= for nothing',
  })
}

/** Rows whose value is that already stay unmarked. */
export function stage(
  list: ListState,
  rows: readonly CrmRecord[],
  [name, value]: readonly [string, JsonValue],
): ListState {
  const staged = new Map(list.staged)
  for (const row of rows) {
    const id = rowId(row)
    if (id === undefined) continue
    const patch: JsonObject = { ...staged.get(id), [name]: value }
    if (JSON.stringify(row[name] ?? null) === JSON.stringify(value)) delete patch[name]
    if (Object.keys(patch).length === 0) staged.delete(id)
    else staged.set(id, patch)
  }
  return { ...list, staged }
}

export function unstage(list: ListState, id: string): ListState {
  const staged = new Map(list.staged)
  staged.delete(id)
  return { ...list, staged }
}
