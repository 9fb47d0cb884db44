import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { idText } from '../../core/exact-json.ts'
import { type CrmRecord, isListed, resourceOf } from '../../core/resources/registry.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import { EqualRecords } from '../history/equal-records.ts'
import { createKeyIndex } from '../input/key-index.ts'
import type { InputRow, RowSource } from '../input/row.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { byId, Existing } from './existing.ts'
import { Ledger } from './ledger.ts'
import type { LeftOut } from './left-out.ts'
import { matchKey } from './match-key.ts'
import { type ImportMode, type MatchedRow, MatchShown, matchRow } from './match-rows.ts'
import { type Pairing, pairChangedRows } from './pair-rows.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { createOf } from './plan-builder.ts'
import type { Noun } from './plan-head.ts'

export interface PlanRowsParts {
  readonly paths: JobPaths
  readonly noun: Noun
  readonly source: RowSource
  readonly builder: PlanBuilder
  /** Earlier jobs of the run, the oldest first. */
  readonly before: readonly EarlierJob[]
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly onRead: (count: number) => void
  /** A run that has nothing to do with any before it. */
  readonly isAgain: boolean
  readonly note: (line: string) => void
  /** The rows that failed, and no others: that the rest is not among them says nothing. */
  readonly isRetry: boolean
  /** The records of the rows are to be deleted. */
  readonly isDeletion: boolean
}

export interface MatchRequest {
  /** Members, or `id` alone; none matches nothing. */
  readonly names: readonly string[]
  readonly mode: ImportMode
}

/**
 * Puts an operation for every row into the plan; what is wrong with rows is in the findings of their source. What a person
 * has to be asked about is returned.
 */
export async function planRows(parts: PlanRowsParts, match: MatchRequest): Promise<string | undefined> {
  const plan = match.names.length > 0 ? planMatched : parts.before.length > 0 ? planAgain : planFirst
  const doubts = await plan(parts, match)
  skipBlanks(parts)
  return doubts
}

/** They are rows of the file, so they are in the account. */
function skipBlanks({ source: { blanks }, builder }: PlanRowsParts): void {
  for (const line of blanks.lines)
    builder.skip([skippedRow({ line, id: undefined }, 'empty_row', 'nothing stands in it')])
  const unnamed = blanks.count - blanks.lines.length
  if (unnamed === 0) return
  builder.leaveOut('skipped', unnamed)
  builder.leftOut.count('empty_row', unnamed)
}

function skippedRow(
  { line, id = null }: Pick<InputRow, 'line'> & { id: string | undefined | null },
  code: LeftOut['code'],
  reason: string,
): LeftOut {
  return { line, id, code, field: null, reason, was: null, wrote: null, now: null }
}

/** Nothing is known of an earlier run; notes cannot be read back, and so not be looked for. */
async function planFirst(parts: PlanRowsParts): Promise<undefined> {
  const { paths, source, builder, noun, list, onRead, isAgain, note } = parts
  const pages = !isListed(resourceOf(noun)) || isAgain ? undefined : list()
  const before = pages && (await EqualRecords.read({ folder: paths.folder, pages, onRead }))
  try {
    for await (const rows of source.rows()) {
      for (const row of rows) {
        if (before?.has(row.fields)) builder.leaveOut('unchanged')
        else builder.add(createOf(noun, row))
      }
    }
  } finally {
    before?.close()
  }
  if (before && before.count > 0) {
    note(
      `${before.count} rows are left alone, for there are ${noun} that say exactly the same; --again makes them once more.`,
    )
  }
}

async function planMatched(parts: PlanRowsParts, match: MatchRequest): Promise<undefined> {
  const { paths, noun, source, builder, before, isDeletion } = parts
  const { existing, shown } = await readMatched(parts, match.names)
  const keyLines = await createKeyIndex(join(paths.folder, 'keys.db'))
  const ledger = before.length > 0 ? new Ledger(paths.folder, before) : undefined
  try {
    for await (const rows of source.rows()) {
      for (const row of rows) {
        const planned = matchRow({ ...match, noun, existing, keyLines, source, isDeletion }, row)
        if (planned === 'skipped') builder.skip([withoutMatch(noun, row, match.names)])
        else if (planned) addMatched(builder, planned, ledger)
      }
    }
    if (source.findings.count === 0) shown.judge()
  } finally {
    existing.close()
    keyLines.close()
    rmSync(join(paths.folder, 'keys.db'), { force: true })
    ledger?.close()
  }
}

interface Matched {
  readonly existing: Existing
  /** After the rows, whose mistakes come first. */
  readonly shown: MatchShown
}

async function readMatched({ paths, list, onRead }: PlanRowsParts, names: readonly string[]): Promise<Matched> {
  const isById = names[0] === 'id'
  const shown = new MatchShown(isById ? [] : names)
  const keyOf = (record: CrmRecord) => {
    shown.see(record)
    return isById ? byId(record) : matchKey(record, names)
  }
  return { existing: await Existing.read({ folder: paths.folder, pages: list(), keyOf, onRead }), shown }
}

function addMatched(builder: PlanBuilder, planned: Exclude<MatchedRow, 'skipped'>, ledger: Ledger | undefined): void {
  if (planned === 'unchanged') builder.leaveOut(planned)
  else if (planned.do === 'fail') builder.fail(planned)
  else builder.add(planned, (digest, n) => absentNow(ledger?.find(digest, n)))
}

function withoutMatch(noun: Noun, row: InputRow, names: readonly string[]): LeftOut {
  const value = names.map((name) => (name === 'id' ? row.id : idText(row.fields[name])) ?? '').join(', ')
  return skippedRow(
    { line: row.line, id: row.id },
    'no_match',
    `no ${resourceOf(noun)} has the ${names.join(', ')} ${JSON.stringify(value)}`,
  )
}

/** What was made and is not there any more is made under a new key: the old one would only bring back the old answer. */
function absentNow(known: ReturnType<Ledger['find']>): ReturnType<Ledger['find']> {
  return known?.state === 'done' ? { ...known, state: 'failed' } : known
}

const NONE: Pairing = { planned: new Map(), strays: undefined }

/** Rows that say what they said before are done; those that were changed since change what was made of them. */
async function planAgain(parts: PlanRowsParts): Promise<string | undefined> {
  const { paths, noun, source, builder, before, list, isRetry } = parts
  const ledger = new Ledger(paths.folder, before)
  try {
    const { planned: changed, strays } = isRetry ? NONE : await pairChangedRows({ paths, noun, source, ledger, list })
    for await (const rows of source.rows()) {
      for (const row of rows) {
        const planned = changed.get(row.line)
        if (planned === 'unchanged') builder.leaveOut(planned)
        else builder.add(planned ?? createOf(noun, row), (digest, n) => ledger.find(digest, n))
      }
    }
    return strays
  } finally {
    ledger.close()
  }
}
