import { oneLine } from '../../api/errors/one-line.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import { linkIn, linksIn, linkText, wholeLinks } from '../../core/links.ts'
import { foldName, nearest } from '../../core/nearest.ts'
import { isAlike } from '../../core/other-values.ts'
import { type CrmRecord, type ImportableResource, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { jsonText } from '../../output/safe-text.ts'
import { aliasOf, mapFlag } from '../input/columns.ts'
import { computedField } from '../input/compute.ts'
import type {
  ColumnUse,
  Edits,
  FindingCode,
  FormatSummary,
  InputRow,
  RefusedRow,
  RowFinding,
  RowSource,
} from '../input/row.ts'
import { optionValues } from '../input/row-draft.ts'
import { damagedKey, lossOf } from './damaged-digits.ts'
import type { Existing, Match } from './existing.ts'
import { addressIn, alternativeIn, alternativesOf, keysOfRow } from './match-keys.ts'
import {
  ambiguousOf,
  createOf,
  deleteOf,
  MOST_MATCHES,
  type PlanBuilder,
  type Planned,
  type PlannedFailure,
  updateOf,
} from './plan-builder.ts'
import type { JobNoun } from './plan-format.ts'
import type { RowRules } from './planning.ts'
import type { KeyIndex } from './scratch.ts'

export const IMPORT_MODES = ['create', 'upsert', 'update'] as const

export type ImportMode = (typeof IMPORT_MODES)[number]

export interface MatchParts {
  readonly noun: JobNoun
  readonly names: readonly string[]
  readonly mode: ImportMode
  readonly existing: Pick<Existing, 'find'> & { readonly hasSeveralKeys: boolean }
  /** The first line of each key. */
  readonly keyLines: KeyIndex
  /** Whether a row with the key of an earlier one is skipped; otherwise it is an error. */
  readonly isFirstKept: boolean
  readonly addError: RowErrors['add']
  readonly source: RowSource
  readonly isDeletion: boolean
  readonly shown: RowRules['shown']
  readonly overruled: Pick<OverruledMembers, 'without'>
  /** Empty cells over values of their records, which stay. */
  readonly kept: { cells: number }
}

export type MatchedRow = Planned | PlannedFailure | 'unchanged' | 'skipped' | { readonly sameAs: number }

/** Matches a row with the existing records; undefined if the row has an error, which becomes a finding. */
export function matchRow(parts: MatchParts, row: InputRow): MatchedRow | undefined {
  const { noun, names, mode, existing, keyLines, addError, isDeletion } = parts
  const keys = keysOfRow(row, names)
  const refuse: Refuse = (code, message, name) =>
    addError(row, findingOf(row, name === undefined ? names : [name], { code, message }))
  if (keys.length === 0) {
    if (names[0] === 'id' && mode === 'upsert') return createOf(noun, row)
    return void refuse('no_match_value', `no value in ${names.join(', ')} to match by`)
  }
  const [address] = alternativesOf(names)
    .flat()
    .flatMap((name) => addressIn(name, row.fields[name]) ?? [])
  if (address !== undefined) return void refuse('not_allowed', `expected the address alone: ${oneLine(address, 80)}`)
  const [firstLine] = keys.map((key) => keyLines.getOrSet(key, row.line))
  if (firstLine !== undefined) {
    if (parts.isFirstKept) return { sameAs: firstLine }
    return void refuse('duplicate_key', `the same ${names.join(', ')} as line ${firstLine}`)
  }
  const { matches, names: own } = matchesOf(existing, keys, names)
  const [match] = matches
  // A list that grows while it is read may have a record on two pages.
  const ids = [...new Set(matches.map(({ id }) => id))]
  if (ids.length > 1) return ambiguousOf(noun, row, { names: own, ids })
  if (!match) return withoutMatch({ ...parts, row, keys, refuse })
  const earlier = existing.hasSeveralKeys ? keyLines.getOrSet(`id ${match.id}`, row.line) : undefined
  if (earlier !== undefined) return void refuse('duplicate_key', `matches ${match.id}, as line ${earlier} does`)
  return isDeletion ? deleteOf(noun, row, match) : changeOf({ ...parts, names: own, row, refuse }, match)
}

/** By the first key that finds any record, and the members of that key: the others are written like any field. */
function matchesOf(existing: MatchParts['existing'], keys: readonly string[], names: readonly string[]) {
  const [first = []] = alternativesOf(names)
  for (const key of keys) {
    const matches = existing.find(key, MOST_MATCHES)
    if (matches.length > 0) return { matches, names: alternativesOf(names)[alternativeIn(key)] ?? first }
  }
  return { matches: [], names: first }
}

/** `name`: the member that is at fault, in place of those of `--match`. */
type Refuse = (code: FindingCode, message: string, name?: string) => void

interface Matching {
  readonly noun: JobNoun
  readonly row: InputRow
  readonly refuse: Refuse
}

function changeOf(
  {
    noun,
    source,
    row,
    refuse,
    names,
    addError,
    shown,
    overruled,
    kept,
  }: Matching & Pick<MatchParts, 'addError' | 'source' | 'names' | 'shown' | 'overruled' | 'kept'>,
  match: Match,
): Planned | 'unchanged' | undefined {
  kept.cells += emptyOver(match.record, row, source.summary)
  Object.assign(row.fields, editedFields(match.record, row.edits))
  // The row names its record by these, whatever their case and blanks, or by a second value: they are not changed.
  const written = Object.entries(row.fields).filter(([name]) => !names.includes(name))
  const given = Object.fromEntries(written)
  const asShown = shown(given, match.record)
  const changes = source.changes(asShown, match.record)
  const fields = overruled.without(changes.fields, { row: asShown, record: match.record, line: row.line })
  if (Object.keys(fields).length === 0) return 'unchanged'
  const shortened = shortenedIn(source, row, 'over', { given: fields, record: match.record })
  if (shortened.length > 0) return void addError(row, ...shortened)
  const name = changes.retyped.find((each) => Object.hasOwn(fields, each))
  if (name === undefined) return { ...updateOf(noun, row, match.id, fields), before: match.record }
  const column = columnOf(source, name)
  const before = match.record[name]
  const type = typeof before === 'boolean' ? 'boolean' : idText(before) === undefined ? 'json' : 'number'
  const maps = `${mapFlag(column, type)} writes ${OTHER_TYPES[type]}, ${mapFlag(column, 'text')} a text`
  return void refuse('wrong_type', `the record has ${OTHER_TYPES[type]}, ${jsonText(before ?? null)}: ${maps}`, name)
}

/** The fields that edits change, with all values that the record then has. */
export function editedFields(record: CrmRecord, all: InputRow['edits'] = {}): JsonObject {
  const fields: JsonObject = {}
  for (const [key, edits] of Object.entries(all)) {
    const { id: name, label } = edits.isLink ? linkIn(key) : { id: key }
    const had = fields[name] ?? record[name]
    fields[name] = edits.isLink ? editedLinks(had, edits, label) : edited(had, edits)
  }
  return fields
}

/** The values of the record with those that the row adds, without those that it takes out. */
function edited(before: JsonValue | undefined, edits: Edits): JsonValue {
  const { remove = [], isJoined, isNumeric } = edits
  const parts = isJoined && typeof before === 'string' ? before.split(';').filter(Boolean) : before
  const had = parts === undefined || parts === null ? [] : Array.isArray(parts) ? parts : [parts]
  const all = [...had, ...optionValues(edits).filter((each) => !had.includes(each))]
  const left = all.filter((each) => !remove.includes((isNumeric ? idText(each) : each) as string))
  return isJoined ? left.join(';') : left
}

/** The same of links. Those without a label are set by their ids: the labels of the links that are left stay. */
function editedLinks(
  before: JsonValue | undefined,
  { add = [], remove = [], isSet }: Edits,
  label: string | undefined,
) {
  const had = linksIn(before) ?? []
  const added = add.map((id) => linkText(id, label))
  const taken = remove.map((id) => linkText(id, label))
  const isNamed = added.some((each) => linkIn(each).label !== undefined)
  const stays = (value: string) => {
    const link = linkIn(value)
    if (isSet && label !== undefined) return link.label !== label
    if (isSet) return !isNamed && link.label !== undefined && added.includes(link.id)
    return !taken.includes(value) && !taken.includes(link.id)
  }
  return wholeLinks([...had.filter(stays), ...added])
}

function columnOf({ summary }: Pick<RowSource, 'summary'>, name: string): ColumnUse {
  return summary.columns.find(({ field }) => field === name) ?? { name, field: name }
}

/** The cells in which a spreadsheet has damaged a number that the record has. */
function shortenedIn(
  source: Pick<RowSource, 'summary'>,
  row: InputRow,
  word: string,
  { given, record }: { readonly given: JsonObject; readonly record: CrmRecord },
): readonly RowFinding[] {
  return Object.keys(source.summary.head ? given : {}).flatMap((name) => {
    const column = columnOf(source, name)
    const loss = column.isText ? undefined : lossOf(given[name], record[name])
    if (loss === undefined) return []
    const [old, cell] = [record[name], given[name]].map((value) => jsonText(value ?? null))
    const way = `format the cells as text; ${mapFlag(column, 'text')} takes them as they are`
    const message = `${cell} ${word} ${old}: a spreadsheet has ${loss}; ${way}`
    return findingOf(row, [name], { code: 'shortened_number', message })
  })
}

/** The same of a row that matches no record, by the members of `--match`. */
function shortenedKeys(parts: MatchParts & { readonly row: InputRow; readonly keys: readonly string[] }) {
  const { existing, names, source, row, keys } = parts
  const own = alternativesOf(names)
    .flat()
    .map((name) => [name, idText(row.fields[name]) ?? ''] as const)
  if (!own.some(([, cell]) => /^\s*\d+\s*$/.test(cell))) return []
  const [match] = keys.flatMap((key) => existing.find(damagedKey(key), 1))
  if (!match) return []
  return shortenedIn(source, row, 'for a record with', { given: Object.fromEntries(own), record: match.record })
}

/** The number of empty cells of a row whose fields have a value in the record. */
function emptyOver(record: CrmRecord, { fields }: InputRow, { head, columns }: FormatSummary): number {
  if (!head) return 0
  return columns.filter(
    ({ field }) => field !== undefined && !Object.hasOwn(fields, field) && field !== 'id' && !isNothing(record[field]),
  ).length
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === ''
}

const OTHER_TYPES = { number: 'a number', boolean: 'a boolean', json: 'a list or an object' } as const

/** The server gives ids: a record that is created for an unknown one would be created again each time. */
function withoutMatch(
  parts: Matching & MatchParts & { readonly keys: readonly string[] },
): Planned | 'skipped' | undefined {
  const { noun, mode, names, row, refuse } = parts
  const shortened = shortenedKeys(parts)
  if (shortened.length > 0) return void parts.addError(row, ...shortened)
  if (parts.isDeletion) return 'skipped'
  if (mode === 'upsert' && names[0] !== 'id') return createOf(noun, row)
  if (row.id === undefined) return 'skipped'
  return void refuse('not_there', `${resourceOf(noun)} ${row.id} does not exist`)
}

function findingOf(
  { line, offset, fields, id }: InputRow,
  names: readonly string[],
  { code, message }: Pick<RowFinding, 'code' | 'message'>,
): RowFinding {
  const [name = ''] = names
  const value = name === 'id' ? id : idText(fields[name])
  return { line, offset, column: names.join(', '), value, code, message }
}

interface MatchInput {
  readonly resource: ImportableResource
  readonly inputName: string
  /** As typed: `name=.first + " " + .last`. */
  readonly compute: readonly string[]
  readonly summary: FormatSummary
}

/** As `--match` takes it. */
function matchText(names: readonly string[]): string {
  return alternativesOf(names)
    .map((own) => own.join(','))
    .join(', else ')
}

/** CrmError `usage` for a name of `--match` that no row has: each row would be refused or created again. */
export function refuseAbsentNames(
  names: readonly string[],
  { resource, inputName, compute, summary }: MatchInput,
): void {
  const computed = compute.map(computedField)
  const fields = [...summary.columns.map(({ field }) => field), ...computed].filter((field) => field !== undefined)
  // In JSON, records without an id may precede those with one.
  const all = alternativesOf(names).flat()
  const absent = all.find((name) => !fields.includes(name) && (name !== 'id' || summary.head !== undefined))
  if (absent === undefined) return
  const alias = aliasOf(resource, absent)
  const meant =
    fields.find((field) => field === alias || foldName(field) === foldName(absent)) ?? nearest(absent, fields)
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new CrmError('usage', `${inputName} has no field ${absent} to match by${question}`, {
    hint:
      meant === undefined
        ? `one of: ${fields.join(', ')}`
        : `--match ${shellWord(matchText(names).replace(absent, meant))}`,
  })
}

interface Member {
  readonly name: string
  readonly field: string
  readonly firstLine: number
  count: number
}

interface MatchedFields {
  /** The fields of the row. */
  readonly row: JsonObject
  readonly record: CrmRecord
  readonly line: number
}

/**
 * An export has both a field of crm and the server's member that holds it, such as `email` and `emails`. Once the edited field is
 * written, the member in the file is older than the record: writing it would revert the field.
 */
export class OverruledMembers {
  readonly #members = new Map<string, Member>()
  readonly #overruled: RowRules['overruled']

  constructor(rules: Pick<RowRules, 'overruled'>) {
    this.#overruled = rules.overruled
  }

  /** The changes without members that contradict a field of the row, if the record has the value of that field already. */
  without(changes: JsonObject, { row, record, line }: MatchedFields): JsonObject {
    if (Object.keys(changes).length === 0) return changes
    const kept = { ...changes }
    for (const [name, field] of this.#overruled(row)) {
      if (!Object.hasOwn(changes, name) || !isAlike(memberOf(record, field), memberOf(row, field))) continue
      delete kept[name]
      this.#count(name, field, line)
    }
    return kept
  }

  #count(name: string, field: string, firstLine: number): void {
    const key = `${name} ${field}`
    const member = this.#members.get(key) ?? { name, field, firstLine, count: 0 }
    member.count++
    this.#members.set(key, member)
  }

  /** For people, one line for each member. */
  lines({ columns }: FormatSummary): readonly string[] {
    const columnOf = (name: string) => columns.find(({ field }) => field === name)?.name ?? name
    return [...this.#members.values()].map(({ name, field, firstLine, count }) => {
      const [own, ours] = [columnOf(name), columnOf(field)]
      const where = count === 1 ? `line ${firstLine}` : `${count} rows, first line ${firstLine}`
      return `${own} is left out in ${where}, because ${ours} is written there and has another value; --map ${ours}= leaves out ${ours} instead`
    })
  }
}

/** `--max-rejects`: undefined accepts any number. */
export type MostRejects = { readonly rows: number } | { readonly part: number } | undefined

/** Where rows with errors go. */
export interface RowErrors {
  /** For the pass over the rows from which the plan is made. */
  readonly onRefused: ((row: RefusedRow) => void) | undefined
  /** Errors that planning found in a valid row. */
  add(row: InputRow, ...findings: readonly RowFinding[]): void
}

interface ErrorParts {
  readonly noun: JobNoun
  readonly source: Pick<RowSource, 'findings'>
  readonly builder: PlanBuilder
  /** Rows with errors become operations that fail; otherwise an error refuses the input. */
  readonly isRejecting: boolean
}

export function createRowErrors({ noun, source, builder, isRejecting }: ErrorParts): RowErrors {
  const reject = (row: RefusedRow) => builder.reject(RESOURCES[resourceOf(noun)].path, row)
  return {
    onRefused: isRejecting ? reject : undefined,
    add: (row, ...findings) => {
      const { position } = row
      for (const finding of findings) source.findings.add({ ...finding, ...(position !== undefined && { position }) })
      if (isRejecting) reject({ ...row, findings })
    },
  }
}

/** Whether more rows have errors than `--max-rejects` accepts. */
export function areTooMany({ rows, rejected }: PlanBuilder['counts'], most: MostRejects): boolean {
  if (!most) return false
  return rejected > ('rows' in most ? most.rows : most.part * rows)
}
