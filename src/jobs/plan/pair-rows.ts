import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import { findByIds } from '../../core/find-by-ids.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { type CrmRecord, hasOperation, matchHint, resourceOf } from '../../core/resources/registry.ts'
import { createKeyIndex } from '../input/key-index.ts'
import type { InputRow, RowSource } from '../input/row.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { canonicalJson, requestDigest } from './digest.ts'
import { emailOf, type Ledger, type Vanished } from './ledger.ts'
import type { Planned } from './plan-builder.ts'
import { createOf, updateOf } from './plan-builder.ts'
import type { Noun } from './plan-head.ts'

export interface PairParts {
  readonly paths: JobPaths
  readonly noun: Noun
  readonly source: RowSource
  readonly ledger: Ledger
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
}

export interface Pairing {
  readonly planned: ReadonlyMap<number, Planned | 'unchanged'>
  /** For people: new rows beside records whose rows are gone; undefined when there are not both. */
  readonly strays: string | undefined
}

/** A row of which no earlier job knows. */
interface Fresh {
  readonly row: InputRow
  /** Where it stood in the earlier input, if it is a row of that and nothing else came or went around it. */
  readonly earlierLine: number
}

const MOST_NAMED = 5

type Pair = readonly [InputRow, Vanished]

/**
 * By line what becomes of rows that were changed after a record was made of them: without this they would be made a second
 * time. Deals and notes cannot be changed, so for them it is CrmError `conflict`.
 */
export async function pairChangedRows(parts: PairParts): Promise<Pairing> {
  const fresh = await freshRows(parts)
  const { done, found } = parts.ledger.counts()
  const { pairs, alone } = pairUp(fresh, parts.ledger)
  // A file of the same name that says all new things: were these the same people, they would be overwritten.
  if (found < done / 2 && fresh.length > 0 && pairs.length < fresh.length)
    throw otherFile(parts.noun, done, done - found)
  const strays = straysOf(alone, parts.ledger)
  if (pairs.length === 0) return { planned: new Map(), strays }
  if (!hasOperation(resourceOf(parts.noun), 'update')) throw unchangeable(parts.noun, pairs)
  const records = await findByIds(
    parts.list(),
    pairs.map(([, { id }]) => id),
  )
  const planned = new Map<number, Planned | 'unchanged'>()
  for (const [row, vanished] of pairs) {
    const before = records.get(vanished.id)
    if (before) planned.set(row.line, changeOf(parts.noun, row, { vanished, before }))
  }
  return { planned, strays }
}

/** By the address, then by the place, then by a name that one row and one record have: the surest first, for all rows. */
function pairUp(fresh: readonly Fresh[], ledger: Ledger): { pairs: readonly Pair[]; alone: readonly Fresh[] } {
  const pairs: Pair[] = []
  let alone = fresh
  const pass = (vanishedFor: (fresh: Fresh) => Vanished | undefined) => {
    alone = alone.filter((one) => {
      const vanished = vanishedFor(one)
      if (!vanished || !isSameRow(one.row, vanished)) return true
      ledger.take(vanished)
      pairs.push([one.row, vanished])
      return false
    })
  }
  pass(({ row }) => {
    const email = emailOf(row.fields)
    return email === undefined ? undefined : ledger.vanishedByEmail(email)
  })
  pass(
    ({ row, earlierLine }) => ledger.vanishedByLine(row.earlierLine ?? row.line) ?? ledger.vanishedByLine(earlierLine),
  )
  const times = new Map<unknown, number>()
  for (const { row } of alone) times.set(row.fields.name, (times.get(row.fields.name) ?? 0) + 1)
  pass(({ row: { fields } }) => {
    const { name } = fields
    return typeof name === 'string' && times.get(name) === 1 ? ledger.vanishedByName(name) : undefined
  })
  return { pairs, alone }
}

/** Nothing tells a row that was put in from one that was changed beyond recognition, so the person is asked. */
function straysOf(alone: readonly Fresh[], ledger: Ledger): string | undefined {
  const { done, found } = ledger.counts()
  if (alone.length === 0 || done === found) return undefined
  const gone = ledger.vanished(MOST_NAMED).map(({ id, line }) => (line === undefined ? id : `${id} of line ${line}`))
  const lines = alone.slice(0, MOST_NAMED).map(({ row }) => row.line)
  return `New: line ${listed(lines, alone.length)}. Made before, of rows that are not in the input any more: ${listed(gone, done - found)}. Is one the other, changed? Then it would be there twice.`
}

function listed(named: readonly unknown[], count: number): string {
  return count > named.length ? `${named.join(', ')}, and ${count - named.length} more` : named.join(', ')
}

/** Rows of which no earlier job knows; all others are marked as known. */
async function freshRows({ paths, noun, source, ledger }: PairParts): Promise<readonly Fresh[]> {
  const fresh: Fresh[] = []
  // How far rows have moved: one that was changed has moved as far as the one above it.
  let shift = 0
  const counter = await createKeyIndex(join(paths.folder, 'fresh.db'))
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
  rmSync(join(paths.folder, 'fresh.db'), { force: true })
  return fresh
}

/**
 * The same address. On the same line or by the name, with another address or none: the same name, or nothing else that is different. One
 * member alone says little, for a country or an owner is that of many.
 */
function isSameRow({ fields }: InputRow, { body }: Vanished): boolean {
  const before = parseExactJson(body) as JsonObject
  const email = emailOf(fields)
  if (email !== undefined && email === emailOf(before)) return true
  const isSame = (name: string) => canonicalJson(own(fields, name)) === canonicalJson(own(before, name))
  if (own(fields, 'name') !== null && isSame('name')) return true
  const names = new Set([...Object.keys(fields), ...Object.keys(before)])
  return names.size > 1 && [...names].filter((name) => !isSame(name)).length === 1
}

function own(record: JsonObject, name: string): JsonValue {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}

function otherFile(noun: Noun, done: number, gone: number): CrmError {
  const message = `a file of this name was imported before, and ${gone} of the ${done} rows that were made of it are not in it any more`
  return new CrmError('conflict', message, {
    hint: `a new file of the same name: --again; the same ${noun} with other values: --match ${matchHint(resourceOf(noun))}`,
  })
}

/** Only what the person changed in the file: what others changed in the record since stays. */
function changeOf(noun: Noun, row: InputRow, made: { vanished: Vanished; before: CrmRecord }): Planned | 'unchanged' {
  const { before } = made
  const { id, body } = made.vanished
  const edited = changedMembers(parseExactJson(body) as JsonObject, row.fields)
  const fields = Object.fromEntries(Object.entries(row.fields).filter(([name]) => Object.hasOwn(edited, name)))
  if (Object.keys(changedMembers(before, fields)).length === 0) return 'unchanged'
  return { ...updateOf(noun, row, id, fields), before }
}

function unchangeable(noun: Noun, pairs: readonly Pair[]): CrmError {
  const named = pairs.slice(0, MOST_NAMED).map(([{ line }, { id }]) => `line ${line} is ${id}`)
  const more = pairs.length > MOST_NAMED ? `, and ${pairs.length - MOST_NAMED} more` : ''
  return new CrmError(
    'conflict',
    `rows were changed after ${noun} were made of them, which cannot be changed: ${named.join(', ')}${more}`,
    {
      hint: 'put back what they said, or give them as new rows in a file of their own',
    },
  )
}
