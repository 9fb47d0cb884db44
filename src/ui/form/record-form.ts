import { CrmError } from '../../core/errors.ts'
import { type JsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { isOfNumericType, NUMERIC_TYPES } from '../../core/resources/field.ts'
import { type CrmRecord, numericType, resourceOf, writableFields } from '../../core/resources/registry.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import type { KeptForm } from '../../settings/kept-changes.ts'
import { type Form, type FormField, isChanged } from '../overlay.ts'
import { isWritable, type OfferedFields, type ServerList } from '../screens.ts'
import { inputText, type TextInput, textInput } from '../text/text-input.ts'

/** The writable fields that the server has, and the other members of the record, empty for a new one. Lists and objects are edited in $EDITOR. */
export function formFields(
  list: ServerList,
  record: CrmRecord | undefined,
  offered?: OfferedFields,
): readonly FormField[] {
  const isOffered = (name: string) => isWritable(offered, name, record ? 'update' : 'create')
  const fields = offered?.names ?? writableFields(resourceOf(list)).map(([name]) => name)
  const known = fields.filter(isOffered)
  const others = Object.keys(record ?? {}).filter((name) => !known.includes(name) && isOffered(name))
  return [...known, ...others].flatMap((name) => {
    const value = record?.[name]
    if (typeof value === 'object' && value !== null) return []
    const text = textOf(value)
    const isText = value === null || value === undefined || typeof value === 'string'
    const type = numericType(resourceOf(list), name) ?? (isText ? 'text' : 'json')
    return [{ name, input: textInput(text), before: record && text, type, problem: undefined }]
  })
}

/**
 * The changed members as a merge patch; for a new record those that are not empty. CrmError `invalid_input` names a field
 * whose text is not of its type.
 */
export function formPatch(fields: readonly FormField[]): JsonObject {
  const patch: [string, JsonValue][] = []
  for (const { name, input, before, type } of fields) {
    const text = inputText(input)
    if (text === (before ?? '')) continue
    patch.push([name, text === '' ? null : typedValue(name, type, text)])
  }
  return Object.fromEntries(patch)
}

function typedValue(name: string, type: FormField['type'], text: string): JsonValue {
  if (type === 'text') return text
  const value = jsonIn(text)
  if (value !== undefined && (type === 'json' || isOfNumericType(value, type))) return value
  const { expected, example } = type === 'json' ? { expected: 'JSON', example: 'true or 12' } : NUMERIC_TYPES[type]
  throw new CrmError('invalid_input', `${name} is ${jsonText(text)}, expected ${expected}`, {
    hint: `write it as in ${example}`,
  })
}

export function withProblems(fields: readonly FormField[], message: string): readonly FormField[] {
  return fields.map((field) => {
    const isNamed = new RegExp(`(?:^|[^\\w])${field.name.replace(/[^\w]/g, '\\$&')}(?:[^\\w]|$)`).test(message)
    return { ...field, problem: isNamed ? message : undefined, theirs: undefined }
  })
}

/** Fields with the kept texts; a field whose value has changed since has a problem that says so. */
export function withTexts(
  fields: readonly FormField[],
  { before, texts }: Pick<KeptForm, 'before' | 'texts'>,
  list: ServerList,
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
  const others = Object.entries(texts).filter(([name]) => !names.has(name))
  const added = others.map(([name, text]): FormField => {
    const type = numericType(resourceOf(list), name) ?? 'text'
    return { name, input: textInput(text), before: before ? '' : undefined, type, problem: undefined }
  })
  return [...known, ...added]
}

/** States the value of others below each field that they have changed since the form was opened. */
export function withTheirs(fields: readonly FormField[], theirs: CrmRecord): readonly FormField[] {
  return fields.map((field) => {
    const text = textOf(theirs[field.name])
    const isTheirs = field.before !== undefined && text !== field.before
    return withConflict({ ...field, theirs: isTheirs ? text : undefined })
  })
}

function withConflict(field: FormField): FormField {
  const { theirs, before } = field
  if (theirs === undefined) return { ...field, problem: undefined }
  const yours = isChanged(field) ? inputText(field.input) || 'empty' : 'unchanged'
  const problem = safeText(`theirs: ${theirs || 'empty'} · yours: ${yours} · before: ${before || 'empty'}`)
  return { ...field, problem }
}

/** Typing ends an error, but not a conflict: the next submit would still overwrite the values of others. */
export function withInput(form: Form, input: TextInput): Form {
  const field = form.fields[form.index]
  if (!field) return form
  const fields = form.fields.with(form.index, withConflict({ ...field, input }))
  return { ...form, problem: form.isConflict ? form.problem : undefined, fields }
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}

export function keptFormOf({ list, record, fields, isSending, problem }: Form): KeptForm | undefined {
  const changed = fields.filter(isChanged)
  if (changed.length === 0) return undefined
  const texts = Object.fromEntries(changed.map(({ name, input }) => [name, inputText(input)]))
  return { list, before: record ?? null, texts, problem: isSending ? SENDING : (problem ?? null) }
}

const SENDING = 'it was being sent when crm ended; the server may have applied it'
