import { idText } from '../../core/exact-json.ts'
import { matchKey } from '../match-key.ts'
import type { Finding, FindingCode, InputRow, RowSource } from '../row.ts'
import type { Existing } from './existing.ts'
import { createOf, updateOf } from './import-row.ts'
import type { KeyLines } from './key-lines.ts'
import type { Planned } from './plan-builder.ts'

export const IMPORT_MODES = ['create', 'upsert', 'update'] as const

export type ImportMode = (typeof IMPORT_MODES)[number]

export interface MatchParts {
  readonly names: readonly string[]
  readonly mode: ImportMode
  readonly existing: Existing
  readonly keyLines: KeyLines
  readonly source: RowSource
}

/** What a row comes to beside the records that are there; undefined when it is wrong, which is told as a finding. */
export function matchRow(parts: MatchParts, row: InputRow): Planned | 'unchanged' | 'skipped' | undefined {
  const { names, mode, existing, keyLines, source } = parts
  const told = names[0] === 'id' ? { id: row.id ?? '' } : row.fields
  const key = names[0] === 'id' ? row.id : matchKey(row.fields, names)
  const refuse = (code: FindingCode, message: string) => source.findings.add(findingOf(row, names, { code, message }))
  if (key === undefined) {
    if (names[0] === 'id' && mode === 'upsert') return createOf('contacts', row)
    return void refuse('no_match_value', `nothing in ${names.join(', ')} to match by`)
  }
  const firstLine = keyLines.firstLine(key, row.line)
  if (firstLine !== row.line) {
    return void refuse('duplicate_key', `the same ${names.join(', ')} as line ${firstLine}`)
  }
  const [match, other] = existing.find(told)
  if (match && other) {
    return void refuse('ambiguous_match', `${match.id} and ${other.id} have the same ${names.join(', ')}`)
  }
  if (!match) return withoutMatch(mode, row, refuse)
  const { fields, retyped } = source.changes(row.fields, match.record)
  if (Object.keys(fields).length === 0) return 'unchanged'
  if (retyped.length > 0) {
    const [name] = retyped
    return void refuse(
      'wrong_type',
      `${name} would become a text; if it is none: --map COLUMN=${name}:number, boolean or json`,
    )
  }
  return { ...updateOf(row, match.id, fields), before: match.record }
}

function withoutMatch(
  mode: ImportMode,
  row: InputRow,
  refuse: (code: FindingCode, message: string) => void,
): Planned | 'skipped' | undefined {
  if (mode === 'upsert') return createOf('contacts', row)
  if (row.id === undefined) return 'skipped'
  return void refuse('not_there', `there is no contact ${row.id}`)
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
