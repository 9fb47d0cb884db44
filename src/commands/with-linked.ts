import { type Command, Option } from 'commander'
import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { idText, isJsonObject, type JsonValue } from '../core/json.ts'
import { linkIn } from '../core/links.ts'
import { nearest } from '../core/nearest.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Relation } from '../jobs/input/row.ts'
import { withFlag } from './command-line.ts'
import type { Findable } from './find.ts'
import { findMany } from './find-many.ts'
import { parseNouns } from './flags.ts'
import { labelOf } from './owners.ts'

export interface WithFlag {
  readonly with?: readonly string[]
}

export function addWithFlag(command: object): void {
  const help = 'the records that fields refer to, such as company, in a member linked; comma separated'
  ;(command as Command).addOption(new Option('--with <fields>', help).argParser(parseNouns))
}

/** Records in memory at a time. */
const MOST_KEPT = 10_000

/** What `--with` adds to records, and what a table has in place of it. */
export interface Linked {
  read(records: readonly CrmRecord[]): Promise<readonly CrmRecord[]>
  /** With the names of the records in place of their ids, for a table without `--fields`. */
  cells(record: CrmRecord): CrmRecord
}

/**
 * Adds the records that fields refer to, one or a list, in a member `linked`: `{"linked": {"company": {...}}}`. A record that does not exist
 * has its id alone. Each is read once.
 */
export async function linkedReader(
  ctx: Pick<Context, 'api' | 'argv' | 'flags' | 'signal'>,
  resource: Resource,
  words: readonly string[],
): Promise<Linked> {
  const api = await ctx.api()
  const chosen = await chosenRelations(ctx, { api, resource, words })
  const { rules } = api.connector
  rules(resource).selection.ask(chosen.map(({ field }) => field))
  for (const { to, word } of chosen) rules(to).selection.ask(membersOf(ctx, word))
  const known = new Map<string, CrmRecord>()
  const linkedIn = (value: JsonValue, to: Findable): JsonValue => {
    const records = idsIn(value).map((id): CrmRecord => known.get(`${to} ${id}`) ?? { id })
    return Array.isArray(value) ? records : (records[0] ?? null)
  }
  return {
    read: async (records) => {
      if (known.size > MOST_KEPT) known.clear()
      for (const { field, to } of chosen) {
        const wanted = new Set(records.flatMap((record) => idsIn(record[field])))
        const ids = [...wanted].filter((id) => !known.has(`${to} ${id}`))
        for await (const { items } of recordsById(api, { to, ids, signal: ctx.signal }))
          for (const record of items) known.set(`${to} ${idText(record.id)}`, record)
      }
      return records.map((record) => {
        const linked = chosen.map(({ field, to, word }) => [word, linkedIn(record[field] ?? null, to)])
        return { ...record, linked: Object.fromEntries(linked) }
      })
    },
    cells: ({ linked, ...record }) => {
      const there = isJsonObject(linked) ? linked : {}
      const named = chosen.map(({ field, to, word }) => [field, labelsOf(there[word] ?? null, to)])
      return { ...record, ...Object.fromEntries(named) }
    },
  }
}

function labelsOf(linked: JsonValue, to: Findable): string {
  const records = (Array.isArray(linked) ? linked : [linked]).filter(isJsonObject)
  return records.map((record) => labelOf(to, record)).join(', ')
}

/** The same for the pages of a list. */
export async function* withLinked(pages: AsyncIterable<Page>, { read }: Pick<Linked, 'read'>): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, items: await read(page.items) }
}

/** Of `--fields linked.company.domain`. */
function membersOf({ flags: { fields = [] } }: Pick<Context, 'flags'>, word: string): readonly string[] {
  return fields.flatMap(([first, second, member]) => (first === 'linked' && second === word ? (member ?? []) : []))
}

interface Referring {
  readonly field: string
  readonly to: Findable
}

interface Chosen extends Referring {
  readonly word: string
}

interface Choosing {
  readonly api: Api
  readonly resource: Resource
  readonly words: readonly string[]
}

async function chosenRelations(
  { argv }: Pick<Context, 'argv'>,
  { api, resource, words }: Choosing,
): Promise<readonly Chosen[]> {
  const { linksOf, relationsOf } = await import('../jobs/input/relations.ts')
  const { fields = {}, links } = api.connector.document.resources[resource] ?? {}
  const all = [...relationsOf(resource, fields), ...linksOf(links?.fields ?? {})].filter(isReadable)
  return words.map((word) => {
    const relation = all.find(({ names }) => names.includes(word))
    if (relation) return { ...relation, word }
    const { plural } = RESOURCES[resource]
    const known = all.map(({ names: [field = '', name = field] }) => name)
    const near = nearest(word, known) ?? known[0]
    throw new CrmError('usage', `--with ${word}: ${plural} have no such reference to another object`, {
      hint: near === undefined ? `crm fields ${plural}` : withFlag(argv, '--with', near),
    })
  })
}

function isReadable(relation: Relation): relation is Relation & Referring {
  return relation.to !== undefined && relation.to !== 'note'
}

/** Of a link, without its label. */
function idsIn(value: JsonValue | undefined): readonly string[] {
  const ids = (Array.isArray(value) ? value : [value]).flatMap((each) => idText(each ?? null) ?? [])
  return [...new Set(ids.map((id) => linkIn(id).id))]
}

interface Reading {
  readonly to: Findable
  readonly ids: readonly string[]
  readonly signal: AbortSignal
}

/** Many in a request, where the server can be asked so. */
async function* recordsById(api: Api, { to, ids, signal }: Reading): AsyncGenerator<{ items: readonly CrmRecord[] }> {
  if (ids.length === 0) return
  const keyed = await api.keyReader(to, 'id')
  if (!keyed) return void (yield* findMany(api, to, ids).pages)
  for (let at = 0; at < ids.length; at += keyed.size)
    yield { items: await keyed.read(ids.slice(at, at + keyed.size), { signal, rateShare: 1 }) }
}
