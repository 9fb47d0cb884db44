import { parseDurationWithUnitMs } from '../core/duration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import {
  BATCH_KINDS,
  type BatchKind,
  type BatchOperation,
  type Limit,
  type ListOperation,
  type OkTest,
  type Operation,
  type PagingDocument,
  type ResourceDocument,
} from './document.ts'
import type {
  WrittenBatch,
  WrittenBatches,
  WrittenLimit,
  WrittenList,
  WrittenOperation,
  WrittenPaging,
  WrittenVerbs,
} from './format.ts'
import { compilePath, writeAt } from './paths.ts'

/** What operations take from the connector and the object around them. */
export interface Surroundings {
  readonly headers: Operation['headers']
  readonly query: Operation['query']
  readonly base: string | undefined
  /** From the outside to the inside. */
  readonly paging: readonly WrittenPaging[]
  readonly inside: string
}

const METHODS = {
  list: 'GET',
  get: 'GET',
  find: 'GET',
  deliveries: 'GET',
  create: 'POST',
  restore: 'POST',
  test: 'POST',
  resend: 'POST',
  rotate: 'POST',
  batch: 'POST',
  update: 'PATCH',
  upsert: 'PUT',
  delete: 'DELETE',
} as const

const SENDING = ['create', 'update', 'upsert']

export function normalOperations(
  written: WrittenVerbs,
  batch: WrittenBatches | undefined,
  around: Surroundings,
): Pick<ResourceDocument, keyof WrittenVerbs | 'batch'> {
  const single = (name: 'get' | 'create' | 'update' | 'delete' | 'restore' | 'test' | 'resend' | 'rotate') => {
    const operation = written[name]
    return operation && normalOperation(name, operation, around)
  }
  const { list, deliveries } = written
  return {
    list: list && normalList('list', list, around),
    get: single('get'),
    create: single('create'),
    update: single('update'),
    delete: single('delete'),
    restore: single('restore'),
    test: single('test'),
    deliveries: deliveries && normalList('deliveries', deliveries, around),
    resend: single('resend'),
    rotate: single('rotate'),
    find: mapped(written.find ?? {}, (find) => ({
      ...normalList('find', find, around),
      gives: find.gives ?? 'record',
      lagMs: find.lag === undefined || find.lag === 'unknown' ? undefined : durationMs(find.lag),
      values: find.values ?? 1,
    })),
    upsert: mapped(written.upsert ?? {}, (upsert) => normalOperation('upsert', upsert, around)),
    batch: normalBatches(batch, around),
  }
}

function mapped<From, To>(members: Readonly<Record<string, From>>, make: (from: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, make(member)]))
}

function okTest(written: WrittenOperation['ok'] = {}): OkTest {
  const isStatus = typeof written === 'number' || Array.isArray(written)
  const { status, ...test } = (isStatus ? { status: written } : written) as Exclude<typeof written, number | number[]>
  return { ...(status !== undefined && { statuses: [status].flat() }), ...test } as OkTest
}

export function normalOperation(
  name: keyof typeof METHODS,
  written: WrittenOperation,
  around: Surroundings,
): Operation {
  const { restorable, made, limits } = written
  return {
    method: written.method ?? METHODS[name],
    base: written.base ?? around.base,
    path: written.path ?? '',
    headers: { ...around.headers, ...written.headers },
    query: { ...around.query, ...written.query },
    body: written.body ?? (SENDING.includes(name) ? recordBody(around.inside) : undefined),
    set: written.set ?? {},
    record: written.record ?? '.',
    ok: okTest(written.ok),
    gives: written.gives ?? (name === 'delete' ? 'nothing' : 'record'),
    sends: written.sends ?? 'changes',
    drop: written.drop ?? [],
    ...(limits && { limits: normalLimits(limits) }),
    ...(restorable !== undefined && { restorableMs: durationMs(restorable) }),
    ...(made !== undefined && { made }),
  }
}

/** `{ properties: '{record}' }` for a record whose fields are in `properties`. */
function recordBody(inside: string): JsonValue {
  if (inside === '.') return '{record}'
  const body: JsonObject = {}
  writeAt(compilePath(inside), body, '{record}')
  return body
}

function normalList(name: 'list' | 'find' | 'deliveries', written: WrittenList, around: Surroundings): ListOperation {
  return {
    ...normalOperation(name, written, around),
    items: written.items ?? '[]',
    ...(written.empty === null && { isNullEmpty: true }),
    up: written.up ?? {},
    keep: written.keep ?? {},
    paging: normalPaging([...around.paging, ...(written.paging === undefined ? [] : [written.paging])]),
  }
}

/** An inner paging overrides an outer one member by member; another way of paging begins anew. */
function normalPaging(all: readonly WrittenPaging[]): PagingDocument {
  let whole: Partial<PagingDocument> = {}
  for (const each of all) {
    const inner = each === 'none' ? { by: 'none' as const } : each
    whole = inner.by === undefined || inner.by === whole.by ? { ...whole, ...inner } : inner
  }
  const { by = 'none', in: place = 'query', start = by === 'offset' ? 0 : 1 } = whole
  return { ...whole, by, in: place, start }
}

function normalBatches(
  written: WrittenBatches | undefined,
  around: Surroundings,
): Readonly<Partial<Record<BatchKind, BatchOperation>>> {
  if (!written) return {}
  const shared: JsonObject = { ...(written as JsonObject) }
  for (const kind of BATCH_KINDS) delete shared[kind]
  const entries = BATCH_KINDS.flatMap((kind) => {
    const own = written[kind]
    return own
      ? [[kind, normalBatch(withShared(shared, own as JsonObject) as unknown as WrittenBatch, around)] as const]
      : []
  })
  return Object.fromEntries(entries)
}

/** Member by member; `body` is replaced whole. */
function withShared(shared: JsonObject, own: JsonObject): JsonObject {
  const whole = { ...shared }
  for (const [name, value] of Object.entries(own)) {
    const before = whole[name]
    const isMerged = name !== 'body' && isJsonObject(before) && isJsonObject(value)
    whole[name] = isMerged ? withShared(before, value) : value
  }
  return whole
}

function normalBatch(written: WrittenBatch, around: Surroundings): BatchOperation {
  const { match } = written
  return {
    ...normalOperation('batch', match === 'all' ? { gives: 'nothing', ...written } : written, around),
    size: written.size,
    item: written.item,
    by: written.by ?? {},
    results: written.results,
    errors: written.errors,
    row: typeof match === 'object' ? { result: match.result, error: match.error } : undefined,
    accounts: match === 'all' ? 'all' : 'each',
  }
}

export function normalLimits(limits: readonly WrittenLimit[]): readonly Limit[] {
  return limits.map(({ requests, per }) => ({ requests, perMs: durationMs(per) }))
}

/** Of a text whose form was checked. */
export function durationMs(text: string): number {
  return parseDurationWithUnitMs(text) ?? Number.NaN
}
