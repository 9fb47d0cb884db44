import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { changedMembers } from '../../core/changes.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { canonicalJson } from '../canonical-json.ts'
import { requestDigest } from '../digest.ts'
import type { JobPaths } from '../folder/job-folder.ts'
import type { Noun } from '../plan/plan-head.ts'
import type { InputRow, RowSource } from '../row.ts'
import { createKeyIndex } from '../rows/key-index.ts'
import { createOf, updateOf } from './import-row.ts'
import { emailOf, type Ledger, type Vanished } from './ledger.ts'
import type { Planned } from './plan-builder.ts'

export interface PairParts {
  readonly paths: JobPaths
  readonly noun: Noun
  readonly source: RowSource
  readonly ledger: Ledger
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
}

const MOST_NAMED = 5

/**
 * By line what becomes of rows that were changed after a record was made of them: without this they would be made a second
 * time. Deals and notes cannot be changed, so for them it is CrmError `conflict`.
 */
export async function pairChangedRows(parts: PairParts): Promise<ReadonlyMap<number, Planned | 'unchanged'>> {
  const fresh = await freshRows(parts)
  const { done, found } = parts.ledger.counts()
  const pairs: (readonly [InputRow, Vanished])[] = []
  for (const row of fresh) {
    const vanished = parts.ledger.findVanished(emailOf(row.fields), row.earlierLine ?? row.line)
    if (!vanished || !isSameRow(row, vanished)) continue
    parts.ledger.take(vanished)
    pairs.push([row, vanished])
  }
  // A file of the same name that says all new things: were these the same people, they would be overwritten.
  if (found < done / 2 && fresh.length > 0 && pairs.length < fresh.length) throw otherFile(done, done - found)
  if (pairs.length === 0) return new Map()
  if (parts.noun !== 'contacts') throw unchangeable(parts.noun, pairs)
  const records = await recordsOf(parts, new Set(pairs.map(([, { id }]) => id)))
  const planned = new Map<number, Planned | 'unchanged'>()
  for (const [row, vanished] of pairs) {
    const before = records.get(vanished.id)
    if (before) planned.set(row.line, changeOf(row, vanished, before))
  }
  return planned
}

/** Rows of which no earlier job knows; all others are marked as known. */
async function freshRows({ paths, noun, source, ledger }: PairParts): Promise<readonly InputRow[]> {
  const fresh: InputRow[] = []
  const counter = await createKeyIndex(join(paths.folder, 'fresh.db'))
  for await (const rows of source.rows()) {
    for (const row of rows) {
      const { path, body = {} } = createOf(noun, row)
      const digest = requestDigest('POST', path, canonicalJson(body))
      if (!ledger.find(digest, counter.count(digest))) fresh.push(row)
    }
  }
  counter.close()
  rmSync(join(paths.folder, 'fresh.db'), { force: true })
  return fresh
}

/**
 * The same address. On the same line, with another address or none: the same name, or nothing else that is different. One
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

function otherFile(done: number, gone: number): CrmError {
  const message = `a file of this name was imported before, and ${gone} of the ${done} rows that were made of it are not in it any more`
  return new CrmError('conflict', message, {
    hint: 'a new file of the same name: --again; the same people with other values: --match email',
  })
}

/** Only what the person changed in the file: what others changed in the record since stays. */
function changeOf(row: InputRow, { id, body }: Vanished, before: CrmRecord): Planned | 'unchanged' {
  const edited = changedMembers(parseExactJson(body) as JsonObject, row.fields)
  const fields = Object.fromEntries(Object.entries(row.fields).filter(([name]) => Object.hasOwn(edited, name)))
  if (Object.keys(changedMembers(before, fields)).length === 0) return 'unchanged'
  return { ...updateOf(row, id, fields), before }
}

async function recordsOf({ list }: PairParts, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, CrmRecord>> {
  const found = new Map<string, CrmRecord>()
  for await (const { items } of list()) {
    for (const item of items) {
      const id = idText(item.id)
      if (id !== undefined && ids.has(id)) found.set(id, item)
    }
    if (found.size === ids.size) break
  }
  return found
}

function unchangeable(noun: Noun, pairs: readonly (readonly [InputRow, Vanished])[]): CrmError {
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
