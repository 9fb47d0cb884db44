import { CrmError } from '../../core/errors.ts'
import { isJsonObject, isSameJson, type JsonObject } from '../../core/json.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { Env } from '../../core/streams.ts'
import { editText } from './edit-text.ts'

export interface EditedRecord {
  /** A merge patch: what was changed, and null for what was taken out. */
  readonly patch: JsonObject
  /** Where the text is, until it is forgotten. */
  readonly path: string
  forget(): Promise<void>
}

/** The record as YAML in the editor. CrmError `invalid_input` for what is no record, and where the text stays. */
export async function editRecord(record: CrmRecord, env: Env): Promise<EditedRecord> {
  const { parseYamlText, yamlText } = await import('./yaml-text.ts')
  const before = Object.fromEntries(Object.entries(record).filter(([name]) => !isReadOnly(name)))
  const { text, path, forget } = await editText(yamlText(before), env)
  const after = parseOr(parseYamlText, text, path)
  const patch: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (!isSameJson(value, before[name])) patch[name] = value
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null
  return { patch, path, forget }
}

function parseOr(parse: (text: string) => unknown, text: string, path: string): JsonObject {
  let value: unknown
  let reason = 'it is no object of members'
  try {
    value = parse(text)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    reason = error.message.split('\n')[0] ?? reason
  }
  if (isJsonObject(value)) return value
  throw new CrmError('invalid_input', `what was edited cannot be read: ${reason}; nothing was sent`, {
    hint: `the text stays in ${shellWord(path)}`,
  })
}
