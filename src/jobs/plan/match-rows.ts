import { oneLine } from '../../api/errors/one-line.ts'
import { idText } from '../../core/exact-json.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import type { KeyIndex } from '../input/key-index.ts'
import type { Finding, FindingCode, InputRow, RowSource } from '../input/row.ts'
import type { Existing, Match } from './existing.ts'
import { ambiguousOf, createOf, deleteOf, MOST_MATCHES, updateOf } from './import-row.ts'
import { addressIn, matchKey } from './match-key.ts'
import type { Planned, PlannedFailure } from './plan-builder.ts'
import type { Noun } from './plan-head.ts'

export const IMPORT_MODES = ['create', 'upsert', 'update'] as const

export type ImportMode = (typeof IMPORT_MODES)[number]

export interface MatchParts {
  readonly noun: Noun
  readonly names: readonly string[]
  readonly mode: ImportMode
  readonly existing: Existing
  /** On which line each key stands first. */
  readonly keyLines: KeyIndex
  readonly source: RowSource
  readonly isDeletion: boolean
}

export type MatchedRow = Planned | PlannedFailure | 'unchanged' | 'skipped'

/** What a row comes to beside the records that are there; undefined when it is wrong, which is a finding. */
export function matchRow(parts: MatchParts, row: InputRow): MatchedRow | undefined {
  const { noun, names, mode, existing, keyLines, source, isDeletion } = parts
  const key = names[0] === 'id' ? row.id : matchKey(row.fields, names)
  const refuse = (code: FindingCode, message: string) => source.findings.add(findingOf(row, names, { code, message }))
  if (key === undefined) {
    if (names[0] === 'id' && mode === 'upsert') return createOf(noun, row)
    return void refuse('no_match_value', `nothing in ${names.join(', ')} to match by`)
  }
  const [address] = names.flatMap((name) => addressIn(name, row.fields[name]) ?? [])
  if (address !== undefined) return void refuse('not_allowed', `expected the address alone: ${oneLine(address, 80)}`)
  const firstLine = keyLines.getOrSet(key, row.line)
  if (firstLine !== undefined) {
    return void refuse('duplicate_key', `the same ${names.join(', ')} as line ${firstLine}`)
  }
  const matches = existing.find(key, MOST_MATCHES)
  const [match] = matches
  // A list that grows while it is read may have a record on two pages.
  const ids = [...new Set(matches.map(({ id }) => id))]
  if (ids.length > 1) return ambiguousOf(noun, row, { names, ids })
  if (isDeletion) return match ? deleteOf(noun, row, match) : 'skipped'
  return match ? changeOf({ noun, source, row, refuse }, match) : withoutMatch({ noun, mode, row, refuse })
}

type Refuse = (code: FindingCode, message: string) => void

interface Matching {
  readonly noun: Noun
  readonly row: InputRow
  readonly refuse: Refuse
}

function changeOf(
  { noun, source, row, refuse }: Matching & Pick<MatchParts, 'source'>,
  match: Match,
): Planned | 'unchanged' | undefined {
  const { fields, retyped } = source.changes(row.fields, match.record)
  if (Object.keys(fields).length === 0) return 'unchanged'
  const [name] = retyped
  if (name === undefined) return { ...updateOf(noun, row, match.id, fields), before: match.record }
  return void refuse(
    'wrong_type',
    `${name} would become a text; if it is none: --map COLUMN=${name}:number, boolean or json`,
  )
}

function withoutMatch({
  noun,
  mode,
  row,
  refuse,
}: Matching & Pick<MatchParts, 'mode'>): Planned | 'skipped' | undefined {
  if (mode === 'upsert') return createOf(noun, row)
  if (row.id === undefined) return 'skipped'
  return void refuse('not_there', `there is no ${resourceOf(noun)} ${row.id}`)
}

function findingOf(
  { line, offset, fields, id }: InputRow,
  names: readonly string[],
  { code, message }: Pick<Finding, 'code' | 'message'>,
): Finding {
  const [name = ''] = names
  const value = name === 'id' ? id : idText(fields[name])
  return { line, offset, column: names.join(', '), value, code, message }
}
