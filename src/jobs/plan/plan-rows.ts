import type { Offers } from '../../api/connectors/connector.ts'
import { idText } from '../../core/json.ts'
import { counted, isListed, resourceOf } from '../../core/resources/registry.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import type { InputRow, RowSource } from '../input/row.ts'
import { EqualRecords } from './existing.ts'
import { Ledger } from './ledger.ts'
import type { LeftOut } from './left-out.ts'
import type { RowRules } from './make-job.ts'
import { type ImportMode, type MatchedRow, matchRow } from './match-rows.ts'
import { type MatchingParts, openMatched } from './matched-records.ts'
import { OverruledMembers } from './overruled-members.ts'
import { type Pairing, pairChangedRows } from './pair-rows.ts'
import { createOf, type PlanBuilder, type Planned } from './plan-builder.ts'
import type { JobNoun } from './plan-format.ts'
import { type Duplicates, findRepeated, type RepeatedRows } from './repeated-rows.ts'
import type { RetriedLines } from './retried-lines.ts'
import type { RowErrors } from './row-errors.ts'
import { openKeyIndex } from './scratch.ts'

export interface PlanRowsParts extends Omit<MatchingParts, 'valuesOf'> {
  readonly noun: JobNoun
  readonly source: RowSource
  readonly builder: PlanBuilder
  /** Earlier jobs of the run, the oldest first. */
  readonly before: readonly EarlierJob[]
  readonly offers: Offers
  readonly rules: RowRules
  /** A run that ignores earlier ones (`--again`). */
  readonly isAgain: boolean
  readonly note: (line: string) => void
  /** The input has only the failed rows, so a missing row is not a removed one. */
  readonly isRetry: boolean
  /** Of a retry: the rows as failed rows of the job. */
  readonly retried: RetriedLines
  /** The records of the rows are to be deleted. */
  readonly isDeletion: boolean
  readonly errors: RowErrors
  readonly duplicates: Duplicates
}

export interface MatchRequest {
  /** Members, or `id` alone; none matches nothing. */
  readonly names: readonly string[]
  readonly mode: ImportMode
}

/**
 * Adds an operation for every row to the plan; errors in rows become findings of the source. Returns a question that must be
 * confirmed, or undefined.
 */
export async function planRows(parts: PlanRowsParts, match: MatchRequest): Promise<string | undefined> {
  const plan = match.names.length > 0 ? planMatched : parts.before.length > 0 ? planAgain : planFirst
  const question = await plan(parts, match)
  skipBlanks(parts)
  return question
}

/** The operation, if the connector allows it; a row that it refuses becomes a finding. */
function allowed({ rules, errors }: PlanRowsParts, row: InputRow, planned: Planned): Planned | undefined {
  if (planned.do === 'delete' || !planned.body) return planned
  const body = planned.before ? planned.body : rules.shown(planned.body)
  const fault = rules.faultIn(body, planned.before)
  if (fault === undefined) return { ...planned, body }
  const { line, offset } = row
  errors.add(row, { line, offset, column: undefined, value: undefined, code: 'not_allowed', message: fault })
  return undefined
}

function addAllowed(
  parts: PlanRowsParts,
  row: InputRow,
  planned: Planned,
  known?: Parameters<PlanBuilder['add']>[1],
): void {
  const { builder, retried } = parts
  const done = retried(row)?.done
  if (done) builder.skip([done])
  const sent = done ? undefined : allowed(parts, row, planned)
  if (sent) builder.add({ ...sent, ...linkOf(parts, row) }, known)
}

/** Blank rows are rows of the file, so they count in the account. */
function skipBlanks({ source: { blanks }, builder }: PlanRowsParts): void {
  for (const line of blanks.lines) builder.skip([skippedRow({ line, id: undefined }, 'empty_row', 'it is empty')])
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

/** Plans a run without earlier jobs. Rows with an equal record are unchanged; notes cannot be listed, and so not compared. */
async function planFirst(parts: PlanRowsParts): Promise<undefined> {
  const { draft, source, noun, list, onRead, isAgain, note, errors } = parts
  const pages = !isListed(resourceOf(noun)) || isAgain ? undefined : list()
  const before = pages && (await EqualRecords.read({ folder: draft.folder, pages, onRead }))
  try {
    for await (const rows of source.rows(errors.onRefused)) {
      for (const row of rows) {
        if (before?.has(row.fields)) leaveUnchanged(parts, row)
        else addAllowed(parts, row, createOf(noun, row))
      }
    }
  } finally {
    before?.close()
  }
  if (before && before.count > 0) {
    const unchanged = before.count === 1 ? '1 row is unchanged' : `${before.count} rows are unchanged`
    note(`${unchanged}, because equal ${noun} exist; --again creates them again.`)
  }
}

async function planMatched(parts: PlanRowsParts, match: MatchRequest): Promise<undefined> {
  const { draft, noun, source, builder, before, isDeletion, errors } = parts
  const repeated = await repeatedIn(parts, match)
  const existing = await openMatched({ ...parts, valuesOf: parts.rules.valuesOf }, match.names)
  const keyLines = openKeyIndex(draft.folder, 'keys')
  const overruled = new OverruledMembers(parts.rules)
  const ledger = before.length > 0 ? new Ledger(draft.folder, before) : undefined
  const renewed = new RenewedRows(ledger)
  const kept = { cells: 0 }
  const matching = {
    kept,
    ...{ ...match, noun, existing, keyLines, source, isDeletion, shown: parts.rules.shown, overruled },
    ...{ isFirstKept: parts.duplicates === 'first', addError: errors.add },
  }
  try {
    for await (const rows of existing.prepared(source.rows(errors.onRefused))) {
      for (const given of rows) {
        const standing = repeated?.standingFor(given) ?? { row: given }
        if ('line' in standing) builder.skip([sameKey(given, match.names, standing.line)])
        else addMatched(parts, standing.row, { planned: matchRow(matching, standing.row), names: match.names, renewed })
      }
    }
    if (isRefused(parts)) return
    existing.judge()
    for (const line of [...overruled.lines(source.summary), ...renewed.lines(noun, match.names)]) parts.note(line)
    for (const line of matchLines(parts, match, kept.cells)) parts.note(line)
  } finally {
    for (const each of [existing, keyLines, repeated, ledger]) each?.close()
  }
}

/** For people: what the rows have and is not used, and records that no row can match. */
function matchLines({ noun, source, seen }: PlanRowsParts, { names }: MatchRequest, keptCells: number): string[] {
  const lines: string[] = []
  const hasIds = names[0] !== 'id' && source.summary.columns.some(({ field }) => field === 'id')
  if (hasIds)
    lines.push(`The ids of the rows are not used: rows are matched by ${names.join(', ')}. --match id uses them.`)
  if (keptCells > 0) lines.push(keptText(keptCells))
  const { count, of } = seen.unmatchable
  if (count > 0) lines.push(unmatchableText(count, `${counted(of, resourceOf(noun))} read`, names))
  return lines
}

function keptText(cells: number): string {
  const what =
    cells === 1
      ? '1 empty cell is ignored: its record keeps its value'
      : `${cells} empty cells are ignored: their records keep their values`
  return `${what}. --clear-empty clears the fields instead.`
}

/** By two members, one that is missing is enough. */
function unmatchableText(count: number, records: string, names: readonly string[]): string {
  const verbs = count === 1 ? ['shows', 'matches'] : ['show', 'match']
  return `${count} of ${records} ${verbs[0]} no ${names.join(' or no ')}, and ${verbs[1]} no row.`
}

interface Matched {
  /** Undefined for a row with an error. */
  readonly planned: MatchedRow | undefined
  readonly names: readonly string[]
  readonly renewed: RenewedRows
}

function addMatched(parts: PlanRowsParts, row: InputRow, { planned, names, renewed }: Matched): void {
  const { builder, noun } = parts
  if (planned === undefined) return
  if (planned === 'unchanged') leaveUnchanged(parts, row)
  else if (planned === 'skipped') builder.skip([withoutMatch(noun, row, names)])
  else if ('sameAs' in planned) builder.skip([sameKey(row, names, planned.sameAs)])
  else if (planned.do === 'fail') builder.fail({ ...planned, ...linkOf(parts, row) })
  else addAllowed(parts, row, planned, (digest, n) => renewed.find(digest, n))
}

function leaveUnchanged({ builder, retried }: PlanRowsParts, row: InputRow): void {
  const failed = retried(row)
  if (failed && !failed.done) builder.settle(row, failed.of)
  else builder.leaveOut('unchanged')
}

function linkOf({ retried }: PlanRowsParts, row: InputRow): Pick<Planned, 'of'> {
  const failed = retried(row)
  return failed ? { of: failed.of } : {}
}

/** Whether errors in rows refuse the whole input. */
function isRefused({ source, errors }: PlanRowsParts): boolean {
  return source.findings.count > 0 && !errors.onRefused
}

/** For `last` and `merge`, which have to know the last row of a key. */
async function repeatedIn(
  { draft, source, duplicates }: PlanRowsParts,
  { names }: MatchRequest,
): Promise<RepeatedRows | undefined> {
  if (duplicates !== 'last' && duplicates !== 'merge') return undefined
  return findRepeated({ folder: draft.folder, source, names, isMerging: duplicates === 'merge' })
}

function sameKey(row: InputRow, names: readonly string[], line: number): LeftOut {
  return skippedRow({ line: row.line, id: row.id }, 'same_key', `the same ${names.join(', ')} as line ${line}`)
}

function withoutMatch(noun: JobNoun, row: InputRow, names: readonly string[]): LeftOut {
  const value = names.map((name) => (name === 'id' ? row.id : idText(row.fields[name])) ?? '').join(', ')
  return skippedRow(
    { line: row.line, id: row.id },
    'no_match',
    `no ${resourceOf(noun)} has the ${names.join(', ')} ${JSON.stringify(value)}`,
  )
}

/** Rows whose records an earlier job of the run created, and that no longer exist: they are created again. */
class RenewedRows {
  readonly #ledger: Ledger | undefined
  readonly #lines: number[] = []
  #count = 0

  constructor(ledger: Ledger | undefined) {
    this.#ledger = ledger
  }

  /** Under a new key: the old one would replay the old response. */
  find(digest: string, n: number): ReturnType<Ledger['find']> {
    const known = this.#ledger?.find(digest, n)
    if (known?.state !== 'done') return known
    if (this.#count++ < MOST_NAMED && known.line !== undefined) this.#lines.push(known.line)
    return { ...known, state: 'failed' }
  }

  lines(noun: JobNoun, names: readonly string[]): readonly string[] {
    if (this.#count === 0) return []
    const more = this.#count > this.#lines.length ? ' …' : ''
    const what = `${counted(this.#count, resourceOf(noun))} that an earlier import of these rows created`
    const verb = this.#count === 1 ? 'is' : 'are'
    const gone = `${verb} no longer found by ${names.join(', ')}, and ${verb} created again`
    return [`${what} ${gone}: line ${this.#lines.join(', ')}${more}`]
  }
}

const MOST_NAMED = 5

const NONE: Pairing = { planned: new Map(), question: undefined }

/** Plans a repeated run: unchanged rows are done, and changed rows update the records that were created from them. */
async function planAgain(parts: PlanRowsParts): Promise<string | undefined> {
  const { draft, noun, source, builder, before, list, isRetry, errors } = parts
  const ledger = new Ledger(draft.folder, before)
  try {
    const { planned: changed, question } = isRetry
      ? NONE
      : await pairChangedRows({ draft, noun, source, ledger, list, offers: parts.offers })
    for await (const rows of source.rows(errors.onRefused)) {
      for (const row of rows) {
        const planned = changed.get(row.line)
        if (planned === 'unchanged') builder.leaveOut(planned)
        else addAllowed(parts, row, planned ?? createOf(noun, row), (digest, n) => ledger.find(digest, n))
      }
    }
    return question
  } finally {
    ledger.close()
  }
}
