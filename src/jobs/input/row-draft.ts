import { idText, type JsonObject, type JsonValue, setAtPath } from '../../core/json.ts'
import { EXPECTED_LINKS, linksIn, linkText } from '../../core/links.ts'
import { isOfNumericType, NUMERIC_TYPES } from '../../core/resources/field.ts'
import { parentMember } from '../../core/resources/parents.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { type Converted, convertCell, expectedOne, shownValue } from './cell-values.ts'
import type { Column } from './columns.ts'
import {
  type Edits,
  type FormatSummary,
  type InputRow,
  type ListEdit,
  OTHER_TEXT,
  type RowFinding,
  type RowOptions,
  type RowSpan,
} from './row.ts'

/** A row under construction, and its findings. */
export interface RowDraft {
  readonly row: { -readonly [Member in keyof InputRow]: InputRow[Member] }
  /** The values under their names in the input, for `--compute`; undefined without it. */
  readonly given: JsonObject | undefined
  readonly findings: RowFinding[]
  /** Fields whose value was rejected: they are not reported as missing. */
  readonly refused: string[]
}

/** An input, opened in its format. */
export interface OpenInput {
  readonly summary: FormatSummary
  /** Whether values are the texts of cells, not JSON. */
  readonly areCells: boolean
  /** Starts at the beginning each time. `onBlank` is called with the line of a row without values. */
  drafts(onBlank: (line: number) => void): AsyncIterable<readonly RowDraft[]>
}

export function createDraft({ line, offset, length, position }: RowSpan, hasGiven: boolean): RowDraft {
  return {
    row: {
      ...{ line, offset, length, ...(position !== undefined && { position }) },
      ...{ id: undefined, parent: undefined, earlierLine: undefined, fields: {} },
    },
    given: hasGiven ? {} : undefined,
    findings: [],
    refused: [],
  }
}

export function addFinding(
  { row: { line, offset, position }, findings }: RowDraft,
  finding: Pick<RowFinding, 'column' | 'value' | 'code' | 'message'>,
): void {
  findings.push({ line, offset, ...(position !== undefined && { position }), ...finding })
}

const UNPAIRED = { code: 'unpaired_surrogate', message: 'half a character, which UTF-8 cannot encode' } as const

/** Stores a value in the place that its column names; `given` is the value before conversion. */
export function placeValue(draft: RowDraft, column: Column, converted: Converted, given: JsonValue): void {
  const checked = 'value' in converted && column.check ? column.check(converted.value) : converted
  const value = 'fault' in checked ? undefined : checked.value
  if (value === undefined || (typeof value === 'string' && !value.isWellFormed())) {
    const fault = 'fault' in checked ? checked.fault : UNPAIRED
    draft.refused.push(column.field)
    addFinding(draft, { column: column.name, value: shownValue(given), ...fault })
    return
  }
  const { row } = draft
  if (column.role === 'id') row.id = idOf(draft, column, value)
  else if (column.role === 'parent') placeParent(draft, column, value)
  else if (column.role === 'earlier_line') {
    row.earlierLine = /^\d{1,15}$/.test(String(given)) ? Number(given) : OTHER_TEXT
  } else if (column.role === 'field') placeField(row, column, value)
}

function placeParent(draft: RowDraft, column: Column, value: JsonValue): void {
  const { row } = draft
  const { name, field, parent: of, reference } = column
  const id = idOf(draft, column, value)
  if (id === undefined || of === undefined) return
  if (row.parent) {
    const message = `the row names a ${row.parent.of}, too, and a note is on one record`
    addFinding(draft, { column: name, value: shownValue(value), code: 'duplicate_field', message })
  }
  row.parent = { of, id }
  if (reference) row.references = [...(row.references ?? []), { name, field, reference }]
}

function placeField(row: RowDraft['row'], column: Column, value: JsonValue): void {
  const { path, field, name, reference, edit, label } = column
  const { fields } = row
  // Null clears the field, and refers to nothing.
  if (reference && value !== null)
    row.references = [
      ...(row.references ?? []),
      { name, field, reference, ...(edit && { edit }), ...(label !== undefined && { label }) },
    ]
  if (edit) placeEdit(row, { ...column, edit }, value)
  else if (path.length === 1 && field !== '__proto__') fields[field] = value
  else setAtPath(fields, path, value)
}

function placeEdit(row: RowDraft['row'], column: Column & { readonly edit: ListEdit }, value: JsonValue): void {
  const { field, label, edit, isJoined = false, isLink = false } = column
  const isNumeric = !isLink && [value].flat().some((each) => typeof each === 'number')
  const texts =
    isLink || isNumeric
      ? (listIn(value) ?? [])
      : isJoined && typeof value === 'string'
        ? value.split(';')
        : textsIn(value)
  const key = linkText(field, label)
  const isSet = edit === 'set'
  const edits: Edits = { ...row.edits?.[key], [isSet ? 'add' : edit]: texts, isJoined, isLink, isSet, isNumeric }
  row.edits = { ...row.edits, [key]: edits }
  row.fields[field] = isJoined ? (edits.add ?? []).join(';') : optionValues(edits)
}

/** The values that are added; options may be numbers. */
export function optionValues({ add = [], isNumeric }: Pick<Edits, 'add' | 'isNumeric'>): JsonValue[] {
  return isNumeric ? add.map(Number) : [...add]
}

/** Also numbers, which are ids. */
function listIn(value: JsonValue): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each) => idText(each) ?? [])
}

function textsIn(value: JsonValue): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')
}

function idOf(draft: RowDraft, { name }: Column, value: JsonValue): string | undefined {
  const id = idText(value)
  if (value !== null && id === undefined) {
    addFinding(draft, { column: name, value: shownValue(value), code: 'wrong_type', message: 'expected an id' })
  }
  return id
}

/** Checks the type of a member or of a computed value. A text becomes a number only if `--map` names that type. */
export function convertMember(value: JsonValue, { type, isKnown, isTyped, isLink, role, convert }: Column): Converted {
  if (typeof value === 'string' && convert) return convert(value)
  if (value === null || role !== 'field') return { value }
  if (isLink && !linksIn(value)) return { fault: { code: 'wrong_type', message: EXPECTED_LINKS } }
  if (typeof value === 'string' && (isTyped || type === 'list')) return convertCell(value, type)
  if (type === 'number' || type === 'integer') {
    return isOfNumericType(value, type) ? { value } : wrongType(NUMERIC_TYPES[type].expected)
  }
  return typeof value !== 'string' && isKnown && type === 'text' ? wrongType('a text') : { value }
}

function wrongType(expected: string): Converted {
  return { fault: { code: 'wrong_type', message: `expected ${expected}` } }
}

/** Checks a whole row: required fields, and values from a fixed set. */
export function checkRow(
  draft: RowDraft,
  options: Pick<RowOptions, 'required' | 'isMatchedById' | 'stages' | 'parents'>,
): void {
  const { required, isMatchedById = false, stages, parents = [] } = options
  const { row, findings, refused } = draft
  // A row that could not be read is not reported for missing fields.
  if (findings.some(({ column }) => column === undefined)) return
  const isKnown = isMatchedById && row.id !== undefined
  checkParent(draft, parents, isKnown)
  for (const field of required) {
    if (refused.includes(field) || (parents.length > 0 && field === 'deal_id')) continue
    const value = row.fields[field]
    if (value === undefined ? isKnown : value !== null && value !== '') continue
    addFinding(draft, { column: field, value: undefined, code: 'required', message: `${field} is required` })
  }
  const wrong = wrongStage(row.fields.stage, stages)
  if (wrong) addFinding(draft, { column: 'stage', value: wrong.shown, code: 'not_allowed', message: wrong.message })
}

/** A note is on one record, of a kind that the server has notes on; one that is there stays on its own. */
function checkParent(draft: RowDraft, parents: readonly Resource[], isThere: boolean): void {
  const { parent } = draft.row
  if (parents.length === 0 || (parent ? parents.includes(parent.of) : isThere)) return
  const [member, ...others] = parents.map(parentMember)
  const expected = others.length === 0 ? member : `one of ${[member, ...others].join(', ')}`
  if (!parent) {
    const message = `${expected} is required`
    addFinding(draft, { column: member, value: undefined, code: 'required', message })
    return
  }
  const message = `this server has no notes on ${RESOURCES[parent.of].plural}, expected ${expected}`
  addFinding(draft, { column: parentMember(parent.of), value: parent.id, code: 'not_allowed', message })
}

export interface WrongStage {
  readonly shown: string
  /** What was expected. */
  readonly message: string
}

/** Undefined for a valid stage, and if the stages are unknown. */
export function wrongStage(
  stage: JsonValue | undefined,
  stages: readonly string[] | undefined,
): WrongStage | undefined {
  if (!stages || stage === undefined || (typeof stage === 'string' && stages.includes(stage))) return undefined
  const shown = shownValue(stage)
  return { shown, message: expectedOne(stages, shown) }
}
