import { idText, type JsonObject, type JsonValue, setAtPath } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { isOfNumericType, NUMERIC_TYPES } from '../../core/resources/field.ts'
import { jsonText } from '../../output/safe-text.ts'
import { type Column, type Converted, convertCell } from './columns.ts'
import { type Blanks, type FindingCode, type InputRow, OTHER_TEXT, type RowFinding, type RowOptions } from './row.ts'

/** A row under construction, and its findings. */
export interface RowDraft {
  readonly row: { -readonly [Member in keyof InputRow]: InputRow[Member] }
  /** The values under their names in the input, for `--compute`; undefined without it. */
  readonly given: JsonObject | undefined
  readonly findings: RowFinding[]
  /** Fields whose value was rejected: they are not reported as missing. */
  readonly refused: string[]
}

type Place = Pick<InputRow, 'line' | 'offset' | 'length' | 'position'>

export function createDraft({ line, offset, length, position }: Place, hasGiven: boolean): RowDraft {
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

export interface NewFinding {
  readonly column: string | undefined
  readonly value: string | undefined
  readonly code: FindingCode
  readonly message: string
}

export function addFinding({ row, findings }: RowDraft, finding: NewFinding): void {
  const { line, offset, position } = row
  findings.push({ line, offset, ...(position !== undefined && { position }), ...finding })
}

const UNPAIRED = 'half a character, which UTF-8 cannot encode'

/** Stores a value in the place that its column names; `given` is the value before conversion. */
export function placeValue(draft: RowDraft, column: Column, converted: Converted, given: JsonValue): void {
  if ('fault' in converted) {
    draft.refused.push(column.field)
    addFinding(draft, { column: column.name, value: shownValue(given), ...converted.fault })
    return
  }
  const { value } = converted
  const { row } = draft
  if (typeof value === 'string' && !value.isWellFormed()) {
    draft.refused.push(column.field)
    addFinding(draft, { column: column.name, value, code: 'unpaired_surrogate', message: UNPAIRED })
    return
  }
  switch (column.role) {
    case 'field':
      if (column.path.length === 1 && column.field !== '__proto__') row.fields[column.field] = value
      else setAtPath(row.fields, column.path, value)
      return
    case 'id':
      row.id = idOf(draft, column, value)
      return
    case 'parent':
      row.parent = idOf(draft, column, value)
      return
    case 'earlier_line':
      row.earlierLine = /^\d{1,15}$/.test(String(given)) ? Number(given) : OTHER_TEXT
      return
    case 'ignored':
  }
}

/** The value as messages show it. */
export function shownValue(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value)
}

function idOf(draft: RowDraft, { name }: Column, value: JsonValue): string | undefined {
  const id = idText(value)
  if (value !== null && id === undefined) {
    addFinding(draft, { column: name, value: shownValue(value), code: 'wrong_type', message: 'expected an id' })
  }
  return id
}

/** Checks the type of a member or of a computed value. A text becomes a number only if `--map` names that type. */
export function convertMember(value: JsonValue, { type, isKnown, isTyped, role, convert }: Column): Converted {
  if (typeof value === 'string' && convert) return convert(value)
  if (value === null || role !== 'field') return { value }
  if (typeof value === 'string' && isTyped) return convertCell(value, type)
  if (type === 'number' || type === 'integer') {
    return isOfNumericType(value, type) ? { value } : wrongType(NUMERIC_TYPES[type].expected)
  }
  return typeof value !== 'string' && isKnown && type === 'text' ? wrongType('a text') : { value }
}

function wrongType(expected: string): Converted {
  return { fault: { code: 'wrong_type', message: `expected ${expected}` } }
}

/** The number of blank rows that are named; a file may end in a million of them. */
const MOST_NAMED = 1000

/** Checks a whole row: required fields, and values from a fixed set. */
export function checkRow(draft: RowDraft, { required, stages }: Pick<RowOptions, 'required' | 'stages'>): void {
  const { row, findings, refused } = draft
  // A row that could not be read is not reported for missing fields.
  if (findings.some(({ column }) => column === undefined)) return
  for (const field of required) {
    if (refused.includes(field)) continue
    const value = field === 'deal_id' ? row.parent : row.fields[field]
    // A row with an id changes a record.
    if (value === undefined ? row.id !== undefined : value !== null && value !== '') continue
    addFinding(draft, { column: field, value: undefined, code: 'required', message: `${field} is required` })
  }
  const wrong = wrongStage(row.fields.stage, stages)
  if (wrong) addFinding(draft, { column: 'stage', value: wrong.shown, code: 'not_allowed', message: wrong.message })
}

interface BlankRows extends Blanks {
  add(line: number): void
  clear(): void
}

export function createBlanks(): BlankRows {
  const lines: number[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    lines,
    add(line) {
      count++
      if (lines.length < MOST_NAMED) lines.push(line)
    },
    clear() {
      count = 0
      lines.length = 0
    },
  }
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
  const shown = typeof stage === 'string' ? stage : JSON.stringify(stage)
  const meant = nearest(shown, stages)
  return { shown, message: meant === undefined ? `expected one of ${stages.join(', ')}` : `did you mean ${meant}?` }
}
