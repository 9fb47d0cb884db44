import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { type CrmRecord, READ_ONLY_FIELDS } from '../../core/resources.ts'
import { jsonText } from '../../output/json-text.ts'
import type { FormField } from '../overlay.ts'
import { inputText, textInput } from '../text/text-input.ts'

/** Members that a form offers although the record has none of them yet; those with a number are JSON. */
export const FORM_FIELDS = {
  contacts: ['name', 'email', 'phone', 'company', 'owner_id'],
  deals: ['name', 'amount', 'stage', 'owner_id', 'pipeline_id'],
} as const

const NUMBERS = new Set(['amount'])

const READ_ONLY: ReadonlySet<string> = new Set(READ_ONLY_FIELDS)

/** Empty for a new record. What is a list or an object is edited in $EDITOR, where there is room for it. */
export function formFields(known: readonly string[], record: CrmRecord | undefined): readonly FormField[] {
  const others = Object.keys(record ?? {}).filter((name) => !known.includes(name) && !READ_ONLY.has(name))
  return [...known, ...others].flatMap((name) => {
    const value = record?.[name]
    if (typeof value === 'object' && value !== null) return []
    const text = value === undefined || value === null ? '' : String(value)
    const isJson = NUMBERS.has(name) || (value !== null && value !== undefined && typeof value !== 'string')
    return [{ name, input: textInput(text), before: record && text, isJson, problem: undefined }]
  })
}

/**
 * The members that were changed, as a merge patch; of a new record those that are not empty. CrmError `invalid_input`
 * names the field whose text is no JSON where it has to be.
 */
export function formPatch(fields: readonly FormField[]): JsonObject {
  const patch: [string, JsonValue][] = []
  for (const { name, input, before, isJson } of fields) {
    const text = inputText(input)
    if (text === (before ?? '')) continue
    patch.push([name, text === '' ? null : isJson ? parseField(name, text) : text])
  }
  return Object.fromEntries(patch)
}

function parseField(name: string, text: string): JsonValue {
  try {
    return parseExactJson(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new CrmError('invalid_input', `${name} is ${jsonText(text)}, expected a number`, {
      cause,
      hint: 'write it with digits and a point, such as 1200.5',
    })
  }
}

/** Puts what was said beside the fields that it names, and gives back whether it named one. */
export function withProblems(fields: readonly FormField[], message: string): readonly FormField[] {
  return fields.map((field) => {
    const isNamed = new RegExp(`(?:^|[^\\w])${field.name.replace(/[^\w]/g, '\\$&')}(?:[^\\w]|$)`).test(message)
    return { ...field, problem: isNamed ? message : undefined }
  })
}
