import { CrmError } from '../../core/errors.ts'
import { canonicalJson, idText, isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { counted, isListed, type Resource, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { EarlierJob } from '../history/earlier-jobs.ts'
import { isTwin, mapName, parseMap } from '../input/columns.ts'
import { inputName } from '../input/input-file.ts'
import type { Findings, InputRow, RowOptions, RowSource } from '../input/row.ts'
import { EqualRecords, keyReaderFor, MatchedRecords, type PageCounter } from './existing.ts'
import { Ledger, pairChangedRows } from './ledger.ts'
import { type LeftOut, leftOutEntry } from './left-out.ts'
import type { PlanDraft } from './make-job.ts'
import type { RetriedLines } from './make-retry.ts'
import { keyOfRow } from './match-keys.ts'
import { type ImportMode, type MostRejects, matchRow, OverruledMembers, type RowErrors } from './match-rows.ts'
import { createOf, type Part, type PlanBuilder, type Planned } from './plan-builder.ts'
import type { Duplicates, ImportTerms, JobNoun } from './plan-format.ts'
import type { Matching, PlanningContext, RowRules } from './planning.ts'
import { type ResolvedRows, withoutNew } from './references.ts'
import type { Scratch } from './scratch.ts'

/** How the input is read, as given by flags alone. */
export type ReadFlags = Omit<
  RowOptions,
  | 'relations'
  | 'parents'
  | 'readSheet'
  | 'path'
  | 'text'
  | 'name'
  | 'kind'
  | 'isMatchedById'
  | 'stages'
  | 'signal'
  | 'note'
  | 'nowMs'
>

export interface ImportRequest {
  readonly noun: JobNoun
  /** `delete`: the records of the rows are deleted. */
  readonly kind: 'import' | 'update' | 'delete' | 'retry'
  /** What the rows become; for a retry, as in the job that it retries. */
  readonly as: ImportTerms['as']
  /** The job whose failed rows these are. */
  readonly of: string | undefined
  /** A file, or `-`. */
  readonly inputName: string
  readonly read: ReadFlags
  readonly stages: readonly string[] | undefined
  readonly match: MatchRequest
  /** `--run-id`; undefined: of the command and the name of the file. */
  readonly run: string | undefined
  /** The part of the rate limit to use. */
  readonly rateShare: number
  /** A new run, whatever was done before. */
  readonly isAgain: boolean
  readonly duplicates: Duplicates
  readonly part: Part
  /** Receives the findings, all of them, if they refuse the input; undefined: only the first of each cause are kept. */
  readonly listFindings: ((findings: Findings) => Promise<void>) | undefined
  /** `--rejects`: rows with errors fail alone; undefined: they refuse the input. */
  readonly rejects: { readonly path: string; readonly most: MostRejects } | undefined
  /** Of these objects, records that rows name need not exist; a plan with such a row is shown, and not sent. */
  readonly creates?: ReadonlySet<Resource>
}

export interface MatchRequest {
  /** Members, or `id` alone; none matches nothing. */
  readonly names: readonly string[]
  readonly mode: ImportMode
}

export interface PlanRowsParts {
  readonly context: PlanningContext
  readonly request: ImportRequest
  readonly draft: PlanDraft
  readonly source: ResolvedRows
  readonly builder: PlanBuilder
  /** Earlier jobs of the run, the oldest first. */
  readonly before: readonly EarlierJob[]
  readonly rules: RowRules
  readonly pages: PageCounter
  /** Of a retry: the rows as failed rows of the job. */
  readonly retried: RetriedLines
  readonly errors: RowErrors
}

interface PlannedRows {
  /** A question that must be confirmed. */
  readonly question?: string | undefined
  /** How the records that rows were matched with were found. */
  readonly matching?: Matching
}

/** Adds an operation for every row to the plan; errors in rows become findings of the source. */
export async function planRows(parts: PlanRowsParts, match: MatchRequest): Promise<PlannedRows> {
  const plan = match.names.length > 0 ? planMatched : parts.before.length > 0 ? planAgain : planFirst
  const planned = await plan(parts, match)
  skipBlanks(parts)
  return planned
}

/** Adds the operation, if the connector allows it; a row that it refuses becomes a finding. */
function addAllowed(
  { request, source, builder, retried, rules, errors }: PlanRowsParts,
  row: InputRow,
  planned: Planned,
  known?: Parameters<PlanBuilder['add']>[1],
): void {
  const failed = retried(row)
  const done = failed?.done
  if (done) return void builder.skip([done])
  const link = failed && { of: failed.of }
  if (planned.do === 'delete' || !planned.body) return void builder.add({ ...planned, ...link }, known)
  const body = planned.before ? planned.body : rules.shown(planned.body)
  const message = rules.faultIn(request.creates ? withoutNew(body) : body, planned.before)
  if (message === undefined) {
    if (request.creates) source.send(row.parent ? { ...body, parent: row.parent.id } : body)
    return void builder.add({ ...planned, body, ...link }, known)
  }
  const { line, offset } = row
  errors.add(row, { line, offset, column: undefined, value: undefined, code: 'not_allowed', message })
}

/** Blank rows are rows of the file, so they count in the account. */
function skipBlanks({ source: { blanks }, builder }: PlanRowsParts): void {
  for (const line of blanks.lines) builder.skip([leftOutEntry('empty_row', 'it is empty', { line })])
  const unnamed = blanks.count - blanks.lines.length
  if (unnamed === 0) return
  builder.leaveOut('skipped', unnamed)
  builder.leftOut.count('empty_row', unnamed)
}

/** Plans a run without earlier jobs. Rows with an equal record are unchanged; notes cannot be listed, and so not compared. */
async function planFirst(parts: PlanRowsParts): Promise<PlannedRows> {
  const { context, request, draft, source, pages, errors } = parts
  const { noun, isAgain } = request
  const isCompared = isListed(resourceOf(noun)) && !isAgain
  const list = isCompared ? pages.counted(context.list(noun)) : undefined
  const before = list && (await EqualRecords.read({ scratch: draft.scratch, pages: list, onRead: context.onRead }))
  for await (const rows of source.rows(errors.onRefused)) {
    for (const row of rows) {
      if (before?.has(row.fields)) leaveUnchanged(parts, row)
      else addAllowed(parts, row, createOf(noun, row))
    }
  }
  refuseTwins(parts, before?.members)
  if (before && before.count > 0) {
    const unchanged = before.count === 1 ? '1 row is unchanged' : `${before.count} rows are unchanged`
    context.note(`${unchanged}, because equal ${noun} exist; --again creates them again.`)
  }
  return {}
}

async function planMatched(parts: PlanRowsParts, match: MatchRequest): Promise<PlannedRows> {
  const { context, request, draft, source, builder, before, rules, errors, pages } = parts
  const { noun, duplicates, rateShare } = request
  const { names } = match
  const { scratch } = draft
  const isLastKept = duplicates === 'last' || duplicates === 'merge'
  const standingFor = isLastKept ? await findRepeated(scratch, source, names, duplicates) : undefined
  const existing = await MatchedRecords.open(
    {
      ...{ scratch, pages, rules, onRead: context.onRead, list: () => context.list(noun) },
      keyed: await keyReaderFor(context, noun, names),
      reading: { signal: context.signal, rateShare },
    },
    names,
  )
  const overruled = new OverruledMembers(rules)
  const renewed = new RenewedRows(before.length > 0 ? new Ledger(scratch, before) : undefined)
  const kept = { cells: 0 }
  const matching = {
    ...{ ...match, noun, kept, existing, source, overruled, keyLines: scratch.keys('row_keys') },
    ...{ shown: rules.shown, isDeletion: request.as === 'delete' },
    ...{ isFirstKept: duplicates === 'first', addError: errors.add },
  }
  const addMatched = (row: InputRow): void => {
    const planned = matchRow(matching, row)
    if (planned === undefined) return
    if (planned === 'unchanged') leaveUnchanged(parts, row)
    else if (planned === 'skipped') builder.skip([withoutMatch(noun, row, names)])
    else if ('sameAs' in planned) builder.skip([sameKey(row, names, planned.sameAs)])
    else if (planned.do === 'fail') {
      const failed = parts.retried(row)
      builder.fail({ ...planned, ...(failed && { of: failed.of }) })
    } else addAllowed(parts, row, planned, (digest, n) => renewed.find(digest, n))
  }
  for await (const rows of existing.prepared(source.rows(errors.onRefused))) {
    for (const given of rows) {
      const standing = standingFor?.(given) ?? { row: given }
      if ('line' in standing) builder.skip([sameKey(given, names, standing.line)])
      else addMatched(standing.row)
    }
  }
  // Errors in rows refuse the whole input.
  if (source.findings.count > 0 && !errors.onRefused) return {}
  const matched = existing.judge()
  refuseTwins(parts, existing.members)
  const lines = [...matched, ...overruled.lines(source.summary), ...renewed.lines(noun, names)]
  for (const line of [...lines, ...matchLines(parts, existing, names, kept.cells)]) context.note(line)
  return { matching: existing.summary }
}

/** CrmError `invalid_input` for columns that would be stored beside members that differ from them in case or blanks alone. */
function refuseTwins(
  { request: { noun, inputName: input, read }, source, builder, errors }: PlanRowsParts,
  members: ReadonlySet<string> = new Set(),
): void {
  // Errors in rows come first, and refuse the whole input.
  if (source.findings.count > 0 && !errors.onRefused) return
  const written = builder.fields.list().map(({ field }) => field)
  const mapped = [...parseMap(read.map).values()].map(({ field }) => field)
  const twins = source.summary.columns.flatMap(({ name, field = '' }) => {
    const member = written.find((each) => each === field || field.startsWith(`${each}.`))
    if (member === undefined || members.has(member) || mapped.includes(field)) return []
    const twin = [...members].find((each) => isTwin(each, member))
    return twin === undefined ? [] : { name, field, twin: twin + field.slice(member.length) }
  })
  if (twins.length === 0) return
  const [join, keep] = (['twin', 'field'] as const).map(
    (to) => `--map ${shellWord(twins.map((each) => `${mapName(each.name)}=${each[to]}`).join())}`,
  )
  const pairs = twins.map(({ name, twin }) => `${JSON.stringify(name)} beside ${JSON.stringify(twin)}`).join(', ')
  throw new CrmError('invalid_input', `${inputName(input)} would store ${pairs}, which ${noun} have`, {
    hint: `${join} if they are the same; ${keep} stores both`,
  })
}

/** For people: what the rows have and is not used, and records that no row can match. */
function matchLines(
  { request: { noun }, source }: PlanRowsParts,
  { unmatchable: { count, of } }: MatchedRecords,
  names: readonly string[],
  keptCells: number,
): string[] {
  const lines: string[] = []
  const hasIds = names[0] !== 'id' && source.summary.columns.some(({ field }) => field === 'id')
  if (hasIds)
    lines.push(`The ids of the rows are not used: rows are matched by ${names.join(', ')}. --match id uses them.`)
  if (keptCells > 0) lines.push(keptText(keptCells))
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

function leaveUnchanged({ builder, retried }: PlanRowsParts, row: InputRow): void {
  const failed = retried(row)
  if (failed && !failed.done) builder.settle(row, failed.of)
  else builder.leaveOut('unchanged')
}

function sameKey(row: InputRow, names: readonly string[], line: number): LeftOut {
  return leftOutEntry('same_key', `the same ${names.join(', ')} as line ${line}`, row)
}

function withoutMatch(noun: JobNoun, row: InputRow, names: readonly string[]): LeftOut {
  const value = names.map((name) => (name === 'id' ? row.id : idText(row.fields[name])) ?? '').join(', ')
  return leftOutEntry('no_match', `no ${resourceOf(noun)} has the ${names.join(', ')} ${JSON.stringify(value)}`, row)
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

/** Plans a repeated run: unchanged rows are done, and changed rows update the records that were created from them. */
async function planAgain(parts: PlanRowsParts): Promise<PlannedRows> {
  const { context, request, draft, source, builder, before, pages, errors } = parts
  const { noun, kind } = request
  const ledger = new Ledger(draft.scratch, before)
  const list = () => pages.counted(context.list(noun))
  const pairing = { scratch: draft.scratch, noun, source, ledger, list, offers: context.offers }
  // The input of a retry has only the failed rows, so a missing row is not a removed one.
  const { planned: changed, question } =
    kind === 'retry' ? { planned: new Map(), question: undefined } : await pairChangedRows(pairing)
  for await (const rows of source.rows(errors.onRefused)) {
    for (const row of rows) {
      const planned = changed.get(row.line)
      if (planned === 'unchanged') builder.leaveOut(planned)
      else addAllowed(parts, row, planned ?? createOf(noun, row), (digest, n) => ledger.find(digest, n))
    }
  }
  return { question }
}

/** The row that stands for all rows with its key, or the line of that row. */
type Standing = { readonly row: InputRow } | { readonly line: number }

/** For `last` and `merge`: reads all rows once, to know the last one of each key. The result is for a second pass over the same rows. */
async function findRepeated(
  scratch: Scratch,
  source: Pick<RowSource, 'rows'>,
  names: readonly string[],
  duplicates: 'last' | 'merge',
): Promise<(row: InputRow) => Standing> {
  const lastLines = scratch.keys('last_lines')
  for await (const rows of source.rows()) {
    for (const row of rows) {
      const key = keyOfRow(row, names)
      if (key !== undefined) lastLines.set(key, row.line)
    }
  }
  // On disk: a file may have a million rows before the last one of their key.
  scratch.database.exec('CREATE TABLE waiting (key TEXT, line INTEGER, offset INTEGER, length INTEGER, row TEXT)')
  scratch.database.exec('CREATE INDEX waiting_by_key ON waiting (key)')
  const insert = scratch.database.prepare('INSERT INTO waiting VALUES (?, ?, ?, ?, ?)')
  const select = scratch.database.prepare('SELECT * FROM waiting WHERE key = ? ORDER BY offset')
  return (row) => {
    const key = keyOfRow(row, names)
    if (key === undefined) return { row }
    const line = lastLines.getOrSet(key, row.line) ?? row.line
    if (line !== row.line) {
      const { offset, length, fields, edits } = row
      if (duplicates === 'merge')
        insert.run(
          key,
          row.line,
          offset,
          length,
          canonicalJson({ fields, edits: edits ?? {} } as unknown as JsonObject),
        )
      return { line }
    }
    const earlier = duplicates === 'merge' ? select.all(key) : []
    if (earlier.length === 0) return { row }
    const all = [...earlier.map((each) => parseExactJson(String(each.row)) as unknown as MergedRow), row]
    const edits = all.map((each) => each.edits ?? {}).reduce(mergedEdits)
    const also = earlier.map((each) => [Number(each.line), Number(each.offset), Number(each.length)] as const)
    return { row: { ...row, fields: all.map(({ fields }) => fields).reduce(merged), edits, also } }
  }
}

type MergedRow = Pick<InputRow, 'fields' | 'edits'>

/** What both add, and what both take out. */
function mergedEdits(earlier: NonNullable<InputRow['edits']>, later: NonNullable<InputRow['edits']>) {
  const all = Object.entries(later).map(([name, { add = [], remove = [], ...how }]) => {
    const before = Object.hasOwn(earlier, name) ? earlier[name] : undefined
    const both = { add: [...(before?.add ?? []), ...add], remove: [...(before?.remove ?? []), ...remove] }
    return [name, { ...how, ...both }] as const
  })
  return { ...earlier, ...Object.fromEntries(all) }
}

/** The values of both; where both have one, that of the later row. */
function merged(earlier: JsonObject, later: JsonObject): JsonObject {
  const fields = { ...earlier }
  for (const [name, value] of Object.entries(later)) {
    const before = Object.hasOwn(earlier, name) ? earlier[name] : undefined
    fields[name] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value
  }
  return fields
}
