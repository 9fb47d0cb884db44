import type { Offers } from '../../api/connectors/connector.ts'
import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { canonicalJson, type JsonObject, memberOf, parseExactJson } from '../../core/json.ts'
import { findByIds } from '../../core/record-ids.ts'
import { type CrmRecord, matchHint, resourceOf } from '../../core/resources/registry.ts'
import type { InputRow, RowSource } from '../input/row.ts'
import type { JobDraft } from '../store/job-folder.ts'
import { requestDigest } from './digest.ts'
import { emailOf, type Ledger, type Orphan } from './ledger.ts'
import { createOf, type Planned, updateOf } from './plan-builder.ts'
import type { JobNoun } from './plan-format.ts'
import { openKeyIndex } from './scratch.ts'

export interface PairParts {
  readonly draft: JobDraft
  readonly noun: JobNoun
  readonly source: RowSource
  readonly ledger: Ledger
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  readonly offers: Offers
}

export interface Pairing {
  readonly planned: ReadonlyMap<number, Planned | 'unchanged'>
  /** A question about new rows and records whose rows are gone; undefined unless there are both. */
  readonly question: string | undefined
}

/** A row that no earlier job has. */
interface Fresh {
  readonly row: InputRow
  /** Its line in the earlier input, if it was there and no rows were added or removed near it. */
  readonly earlierLine: number
}

const MOST_NAMED = 5

type Pair = readonly [InputRow, Orphan]

/**
 * The changes, by line, for rows that were edited after a record was created from them: otherwise they would be created again.
 * CrmError `conflict` for resources without updates.
 */
export async function pairChangedRows(parts: PairParts): Promise<Pairing> {
  const fresh = await freshRows(parts)
  const { done, found } = parts.ledger.counts()
  const { pairs, alone } = pairUp(fresh, parts.ledger)
  // Another file with the same name: if its rows were paired with the records, they would overwrite them.
  if (found < done / 2 && fresh.length > 0 && pairs.length < fresh.length)
    throw otherFile(parts.noun, done, done - found)
  const question = questionOf(alone, parts.ledger)
  if (pairs.length === 0) return { planned: new Map(), question }
  if (!parts.offers(resourceOf(parts.noun), 'update')) throw unchangeable(parts.noun, pairs)
  const records = await findByIds(
    parts.list(),
    pairs.map(([, { id }]) => id),
  )
  const planned = new Map<number, Planned | 'unchanged'>()
  for (const [row, orphan] of pairs) {
    const before = records.get(orphan.id)
    if (before) planned.set(row.line, changeOf(parts.noun, row, { orphan, before }))
  }
  return { planned, question }
}

/** By email, then by line, then by a name that only one row and one record have: the most certain first, for all rows. */
function pairUp(fresh: readonly Fresh[], ledger: Ledger): { pairs: readonly Pair[]; alone: readonly Fresh[] } {
  const pairs: Pair[] = []
  let alone = fresh
  const pass = (orphanFor: (fresh: Fresh) => Orphan | undefined) => {
    alone = alone.filter((one) => {
      const orphan = orphanFor(one)
      if (!orphan || !isSameRow(one.row, orphan)) return true
      ledger.take(orphan)
      pairs.push([one.row, orphan])
      return false
    })
  }
  pass(({ row }) => {
    const email = emailOf(row.fields)
    return email === undefined ? undefined : ledger.orphanByEmail(email)
  })
  pass(({ row, earlierLine }) => ledger.orphanByLine(row.earlierLine ?? row.line) ?? ledger.orphanByLine(earlierLine))
  const times = new Map<unknown, number>()
  for (const { row } of alone) times.set(row.fields.name, (times.get(row.fields.name) ?? 0) + 1)
  pass(({ row: { fields } }) => {
    const { name } = fields
    return typeof name === 'string' && times.get(name) === 1 ? ledger.orphanByName(name) : undefined
  })
  return { pairs, alone }
}

/** An inserted row cannot be distinguished from one that was changed completely, so the person is asked. */
function questionOf(alone: readonly Fresh[], ledger: Ledger): string | undefined {
  const { done, found } = ledger.counts()
  if (alone.length === 0 || done === found) return undefined
  const gone = ledger.orphans(MOST_NAMED).map(({ id, line }) => (line === undefined ? id : `${id} of line ${line}`))
  const lines = alone.slice(0, MOST_NAMED).map(({ row }) => row.line)
  return `New: line ${listed(lines, alone.length)}. Created before, from rows that are no longer in the input: ${listed(gone, done - found)}. If a new row is one of these, changed, it would be created twice.`
}

function listed(named: readonly unknown[], count: number): string {
  return count > named.length ? `${named.join(', ')}, and ${count - named.length} more` : named.join(', ')
}

/** The rows that no earlier job has; all others are marked as found. */
async function freshRows({ draft, noun, source, ledger }: PairParts): Promise<readonly Fresh[]> {
  const fresh: Fresh[] = []
  // By how many lines rows have moved: a changed row has moved as far as the one above it.
  let shift = 0
  const counter = openKeyIndex(draft.folder, 'fresh')
  for await (const rows of source.rows()) {
    for (const row of rows) {
      const { path, body = {} } = createOf(noun, row)
      const digest = requestDigest('POST', path, canonicalJson(body))
      const known = ledger.find(digest, counter.count(digest))
      if (!known) fresh.push({ row, earlierLine: row.line - shift })
      else if (known.line !== undefined) shift = row.line - known.line
    }
  }
  counter.close()
  return fresh
}

/**
 * Whether both have the same email or the same name, or differ in a single member of several. A record with one member is not
 * compared that way, because many records have the same country or owner.
 */
function isSameRow({ fields }: InputRow, { body }: Orphan): boolean {
  const before = parseExactJson(body) as JsonObject
  const email = emailOf(fields)
  if (email !== undefined && email === emailOf(before)) return true
  const isSame = (name: string) => canonicalJson(memberOf(fields, name)) === canonicalJson(memberOf(before, name))
  if (memberOf(fields, 'name') !== null && isSame('name')) return true
  const names = new Set([...Object.keys(fields), ...Object.keys(before)])
  return names.size > 1 && [...names].filter((name) => !isSame(name)).length === 1
}

function otherFile(noun: JobNoun, done: number, gone: number): CrmError {
  const message = `a file of this name was imported before, and ${gone} of its ${done} rows are no longer in it`
  return new CrmError('conflict', message, {
    hint: `a new file of the same name: --again; the same ${noun} with other values: --match ${matchHint(resourceOf(noun))}`,
  })
}

/** Only what was changed in the file: changes that others made to the record stay. */
function changeOf(noun: JobNoun, row: InputRow, made: { orphan: Orphan; before: CrmRecord }): Planned | 'unchanged' {
  const { before } = made
  const { id, body } = made.orphan
  const edited = changedMembers(parseExactJson(body) as JsonObject, row.fields)
  const fields = Object.fromEntries(Object.entries(row.fields).filter(([name]) => Object.hasOwn(edited, name)))
  if (Object.keys(changedMembers(before, fields)).length === 0) return 'unchanged'
  return { ...updateOf(noun, row, id, fields), before }
}

function unchangeable(noun: JobNoun, pairs: readonly Pair[]): CrmError {
  const named = pairs.slice(0, MOST_NAMED).map(([{ line }, { id }]) => `line ${line} is ${id}`)
  const more = pairs.length > MOST_NAMED ? `, and ${pairs.length - MOST_NAMED} more` : ''
  return new CrmError(
    'conflict',
    `rows were changed after ${noun} were created from them, and ${noun} cannot be changed: ${named.join(', ')}${more}`,
    {
      hint: 'restore these rows, or import them as new rows in another file',
    },
  )
}
