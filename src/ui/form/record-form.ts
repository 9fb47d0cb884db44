import { CrmError } from '../../core/errors.ts'
import { type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { type CrmRecord, isNumeric, isReadOnly, type Resource, writableFields } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import { jsonText } from '../../output/value-text.ts'
import type { KeptForm } from '../../settings/kept-changes.ts'
import { type Form, type FormField, isChanged } from '../overlay.ts'
import { inputText, textInput } from '../text/text-input.ts'

/** Members that a form shows even if the record does not have them. */
export const FORM_FIELDS = {
  contacts: writableNames('contact'),
  deals: writableNames('deal'),
} as const

function writableNames(resource: Resource): readonly string[] {
  return writableFields(resource).map(([name]) => name)
}

const NUMBERS = new Set(
  (['contact', 'deal'] as const).flatMap((resource) =>
    writableNames(resource).filter((name) => isNumeric(resource, name)),
  ),
)

/** The fields of a form, empty for a new record; lists and objects are omitted, and edited in $EDITOR. */
export function formFields(known: readonly string[], record: CrmRecord | undefined): readonly FormField[] {
  const others = Object.keys(record ?? {}).filter((name) => !known.includes(name) && !isReadOnly(name))
  return [...known, ...others].flatMap((name) => {
    const value = record?.[name]
    if (typeof value === 'object' && value !== null) return []
    const text = textOf(value)
    const isJson = NUMBERS.has(name) || (value !== null && value !== undefined && typeof value !== 'string')
    return [{ name, input: textInput(text), before: record && text, isJson, problem: undefined }]
  })
}

/**
 * The changed members as a merge patch; for a new record those that are not empty. CrmError `invalid_input` names a field
 * whose text must be JSON and is not.
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

/** Adds the message to the fields that it names. */
export function withProblems(fields: readonly FormField[], message: string): readonly FormField[] {
  return fields.map((field) => {
    const isNamed = new RegExp(`(?:^|[^\\w])${field.name.replace(/[^\w]/g, '\\$&')}(?:[^\\w]|$)`).test(message)
    return { ...field, problem: isNamed ? message : undefined }
  })
}

/** Fields with the kept texts; a field whose value has changed since has a problem that says so. */
export function withTexts(
  fields: readonly FormField[],
  { before, texts }: Pick<KeptForm, 'before' | 'texts'>,
): readonly FormField[] {
  const known = fields.map((field) => {
    const text = texts[field.name]
    if (text === undefined) return field
    const was = textOf(before?.[field.name])
    const isNew = field.before !== undefined && field.before !== was
    const problem = isNew
      ? `is ${field.before === '' ? 'empty' : field.before} now, and was ${was === '' ? 'empty' : was}`
      : undefined
    return { ...field, input: textInput(text), problem: problem && safeText(problem) }
  })
  const names = new Set(fields.map(({ name }) => name))
  const others = Object.entries(texts).flatMap(([name, text]) =>
    names.has(name)
      ? []
      : [
          {
            name,
            input: textInput(text),
            before: before ? '' : undefined,
            isJson: NUMBERS.has(name),
            problem: undefined,
          },
        ],
  )
  return [...known, ...others]
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}

/** The form to keep; undefined when no field was changed. */
export function keptFormOf({ list, record, fields, isSending, problem }: Form): KeptForm | undefined {
  const changed = fields.filter(isChanged)
  if (changed.length === 0) return undefined
  const texts = Object.fromEntries(changed.map(({ name, input }) => [name, inputText(input)]))
  return { list, before: record ?? null, texts, problem: isSending ? SENDING : (problem ?? null) }
}

const SENDING = 'it was being sent when crm ended; the server may have applied it'
