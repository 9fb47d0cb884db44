import type { Api } from '../../api/api.ts'
import type { Operations } from '../../api/operations.ts'
import type { Context } from '../../context.ts'
import type { CrmError } from '../../core/errors.ts'
import { idText, isJsonObject, isSameJson, type JsonObject } from '../../core/json.ts'
import { findByIds, listedId } from '../../core/record-ids.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { type CheckResult, type ConnectorCheck, checkFailed, runCheck } from './check-reads.ts'

/** One record with a random mark in its values. */
interface Trial {
  readonly resource: Resource
  /** The client may change, for an interrupted one sends nothing more. */
  readonly of: (api: Api) => Operations
  readonly mark: string
  readonly sent: JsonObject
  readonly changed: JsonObject
  /** Gives a list that lags behind writes the time to show them. */
  readonly pause: () => Promise<unknown>
  /** What is tried before the record is deleted, of records that belong to it. */
  readonly inner?: (id: string) => Promise<readonly ConnectorCheck[]>
}

const LIST_LAG_MS = 2000

/** The most records of a list that are looked through for the created one. */
const MOST_LISTED = 2000

/** How long a command that was interrupted goes on, to remove what it created. */
const REMOVAL_MS = 30_000

const NO_CONDITION = { idempotencyKey: undefined, ifMatch: undefined }

/** Creates, changes and deletes a marked contact, a deal and a note of the deal, as far as the connector has these requests. */
export async function checkWrites(ctx: Context, api: Api): Promise<readonly ConnectorCheck[]> {
  const mark = crypto.randomUUID()
  // A killed check leaves its record.
  ctx.note(`The records have ${mark} in their values, and are deleted at the end.`)
  const [sent, changed] = [{ name: `Check ${mark}` }, { name: `Changed ${mark}` }]
  const contact = { ...sent, email: `check-${mark}@example.com` }
  const note = (id: string) => {
    const texts = { sent: { body: sent.name }, changed: { body: changed.name } }
    return tryRecord(ctx, api, { resource: 'note', of: ({ notes }) => notes(id), mark, ...texts })
  }
  const checks = await tryRecord(ctx, api, {
    ...{ resource: 'contact', of: ({ contacts }) => contacts, mark, changed },
    sent: contact,
  })
  if (!api.connector.offers('deal', 'create')) return checks
  let stage: JsonObject = {}
  const listed = await runCheck('deals', 'create', async () => {
    stage = await stageOfDeal(ctx, api)
    return { state: 'ok', seen: '' }
  })
  if (listed.state === 'failed') return [...checks, listed]
  const deal = { ...sent, amount: 12, ...stage }
  const ofDeal = await tryRecord(ctx, api, {
    ...{ resource: 'deal', of: ({ deals }) => deals, mark, inner: note },
    ...{ sent: deal, changed: { ...changed, amount: 21 } },
  })
  return [...checks, ...ofDeal]
}

/** The stage that a deal of the server has, with its pipeline; else one of those that the server lists. */
async function stageOfDeal(ctx: Context, { connector, deals }: Api): Promise<JsonObject> {
  if (connector.offers('deal', 'list')) {
    for await (const { items } of deals.list({ limit: 1 })) {
      const { stage = null, pipeline_id = null } = items[0] ?? {}
      if (stage !== null) return { stage, ...(pipeline_id !== null && { pipeline_id }) }
    }
  }
  const [stage] = (await (await ctx.jobs()).stages()) ?? []
  return stage === undefined ? {} : { stage }
}

async function tryRecord(
  ctx: Context,
  api: Api,
  { sent, changed, ...trial }: Omit<Trial, 'pause'>,
): Promise<readonly ConnectorCheck[]> {
  if (!api.connector.offers(trial.resource, 'create')) return []
  const values = { sent: writable(api, trial, sent), changed: writable(api, trial, changed) }
  const made = new Set<string>()
  const checks: ConnectorCheck[] = []
  try {
    for await (const check of writes(api, { ...trial, ...values, pause: pauseOf(ctx) }, made)) checks.push(check)
  } catch (error) {
    const removing = await ctx.api(undefined, AbortSignal.timeout(REMOVAL_MS))
    await findMarked(removing, trial, made)
    for (const { state, seen } of await removed(removing, trial, made)) if (state !== 'ok') ctx.note(seen)
    throw error
  }
  const failure = checks[0]?.failure
  if (failure && !isRefusal(failure)) {
    await findMarked(api, trial, made)
    if (made.size === 0) ctx.note(`If ${nameOf(trial)} is there, remove it: it is unknown whether it was created.`)
  }
  return [...checks, ...(await removed(api, trial, made))]
}

function pauseOf({ timing, signal }: Context): Trial['pause'] {
  return async () => {
    const { SYSTEM_TIMING } = await import('../../api/transport/timing.ts')
    await (timing ?? SYSTEM_TIMING).sleep(LIST_LAG_MS, signal)
  }
}

/** After a create whose answer gave no id. */
async function findMarked(api: Api, trial: Removing, made: Set<string>): Promise<void> {
  if (made.size === 0) for (const id of await markedIds(api, trial)) made.add(id)
}

/** The values of the fields that the connector can write. */
function writable({ connector }: Api, { resource }: Pick<Trial, 'resource'>, values: JsonObject): JsonObject {
  const { map } = connector.rules(resource)
  const { fields = {} } = connector.document.resources[resource] ?? {}
  const isAny = Object.keys(fields).length === 0
  const written = Object.entries(values).filter(
    ([name]) => isAny || (Object.hasOwn(fields, name) && !map.isReadOnly(name)),
  )
  return Object.fromEntries(written)
}

/** All but the deletion. `made` receives the ids. */
async function* writes(api: Api, trial: Trial, made: Set<string>): AsyncGenerator<ConnectorCheck, void, undefined> {
  const { resource, of, sent, changed, inner } = trial
  const { connector } = api
  const { plural } = RESOURCES[resource]
  const idempotencyKey = crypto.randomUUID()
  const create = await runCheck(plural, 'create', async () => {
    const before = await listedIds(api, trial)
    const ids = await createdIds(api, trial, idempotencyKey)
    for (const id of ids) made.add(id)
    const [id] = ids
    if (id === undefined) return checkFailed('neither the answer nor the list shows the record')
    const unlisted = before && (await whyUnlisted(api, trial, { id, before }))
    return unlisted ? checkFailed(unlisted) : compared(api, trial, { id, values: sent })
  })
  yield create
  const [id] = made
  if (id === undefined || create.state !== 'ok') return
  if (typeof connector.document.idempotency === 'object') {
    yield await runCheck(plural, 'idempotency', async () => {
      for (const again of await createdIds(api, trial, idempotencyKey)) made.add(again)
      if (made.size > 1) return checkFailed(`one key made ${made.size} records: ${[...made].join(', ')}`)
      return { state: 'ok', seen: `one key, sent twice, made ${id} alone` }
    })
  }
  if (connector.offers(resource, 'update') && Object.keys(changed).length > 0) {
    yield await runCheck(plural, 'update', async () => {
      const before = isReadable(api, trial) ? await read(api, trial, id) : undefined
      await of(api).update(id, changed, NO_CONDITION)
      const result = await compared(api, trial, { id, values: { ...sent, ...changed } })
      const after = before && (await read(api, trial, id))
      const lost = after ? lostIn(before, after, Object.keys(changed)) : []
      return lost.length === 0 ? result : checkFailed(`the update removed ${lost.join(', ')} from ${id}`)
    })
  }
  yield* (await inner?.(id)) ?? []
}

/** By the answer, else by the mark. */
async function createdIds(api: Api, trial: Trial, idempotencyKey: string): Promise<readonly string[]> {
  const record = await trial.of(api).create(trial.sent, { idempotencyKey, isLookedFor: false })
  const id = idText(record.id)
  return id === undefined ? markedIds(api, trial) : [id]
}

/** Undefined for a list that is longer than what is looked through, and where there is none. */
async function listedIds(api: Api, { resource, of }: Removing): Promise<ReadonlySet<string> | undefined> {
  if (!api.connector.offers(resource, 'list')) return undefined
  const ids = new Set<string>()
  for await (const { items } of of(api).list()) {
    for (const record of items) ids.add(listedId(record))
    if (ids.size > MOST_LISTED) return undefined
  }
  return ids
}

/** How the list shows that it is not the whole one: it lacks the created record, or one that it had before. */
async function whyUnlisted(
  api: Api,
  trial: Trial,
  { id, before }: { readonly id: string; readonly before: ReadonlySet<string> },
): Promise<string | undefined> {
  const lacking = async () => {
    const now = await listedIds(api, trial)
    for (const each of now ? [id, ...before] : []) {
      // Another client may delete records.
      if (
        !now?.has(each) &&
        (each === id || !api.connector.offers(trial.resource, 'get') || (await read(api, trial, each)))
      )
        return each
    }
    return undefined
  }
  const first = await lacking()
  if (first === undefined) return undefined
  await trial.pause()
  const lacks = await lacking()
  const { plural } = RESOURCES[trial.resource]
  if (lacks === undefined) return undefined
  const why = lacks === id ? 'was created' : 'was there before a record was created'
  return `the list of ${plural} (${before.size} records) does not show ${lacks}, which ${why}: its paging or its filter is wrong`
}

/** Empty where the server lists no such records. */
async function markedIds(api: Api, { resource, of, mark }: Removing): Promise<readonly string[]> {
  const ids: string[] = []
  if (!api.connector.offers(resource, 'list')) return ids
  for await (const { items } of of(api).list()) {
    for (const record of items) if (JSON.stringify(record).includes(mark)) ids.push(idText(record.id) ?? '')
  }
  return ids.filter((id) => id !== '')
}

/** Each value as the server shows it now. */
async function compared(
  api: Api,
  trial: Trial,
  { id, values }: { readonly id: string; readonly values: JsonObject },
): Promise<CheckResult> {
  if (!isReadable(api, trial)) return { state: 'ok', seen: `${id}; no request of the connector shows it` }
  const record = await read(api, trial, id)
  if (!record) return checkFailed(`${id} is not found by reading`)
  const names = Object.keys(values)
  const other = names.filter((name) => !isSameJson(record[name] ?? null, values[name] ?? null))
  if (other.length === 0) return { state: 'ok', seen: `${id} has ${names.join(', ')} as sent` }
  const shown = other.map(
    (name) => `${name} ${JSON.stringify(record[name] ?? null)}, sent ${JSON.stringify(values[name])}`,
  )
  return checkFailed(`${id} has ${shown.join('; ')}`)
}

/** The members that had a value before, at any depth. */
function lostIn(before: JsonObject, after: JsonObject, changed: readonly string[] = []): readonly string[] {
  return Object.entries(before).flatMap(([name, value]) => {
    const now = after[name] ?? null
    if (value === null || changed.includes(name)) return []
    if (now === null) return [name]
    return isJsonObject(value) && isJsonObject(now) ? lostIn(value, now).map((inner) => `${name}.${inner}`) : []
  })
}

function isReadable({ connector }: Api, { resource }: Pick<Trial, 'resource'>): boolean {
  return connector.offers(resource, 'get') || connector.offers(resource, 'list')
}

async function read(
  api: Api,
  { resource, of }: Pick<Trial, 'resource' | 'of'>,
  id: string,
): Promise<CrmRecord | undefined> {
  return api.connector.offers(resource, 'get') ? of(api).get(id) : (await findByIds(of(api).list(), [id])).get(id)
}

function isRefusal({ details: { status = 0, isInDoubt } }: CrmError): boolean {
  return !isInDoubt && status >= 400 && status < 500
}

type Removing = Pick<Trial, 'resource' | 'of' | 'mark'>

function nameOf({ resource, mark }: Removing): string {
  return `the ${resource} with ${mark} in its ${resource === 'note' ? 'text' : 'name'}`
}

async function removed(api: Api, trial: Removing, ids: ReadonlySet<string>): Promise<readonly ConnectorCheck[]> {
  const { resource, of } = trial
  const { plural } = RESOURCES[resource]
  const checks: ConnectorCheck[] = []
  for (const id of ids) {
    if (!api.connector.offers(resource, 'delete')) {
      const seen = `${id} stays, ${nameOf(trial)}: the connector has no delete of ${plural}`
      checks.push({ resource: plural, operation: 'delete', state: 'not offered', seen })
      continue
    }
    const check = await runCheck(plural, 'delete', async () => {
      await of(api).delete(id, NO_CONDITION)
      if (isReadable(api, trial) && (await read(api, trial, id))) return checkFailed(`${id} is still there`)
      return { state: 'ok', seen: `${id} is gone` }
    })
    const isLeft = check.state === 'failed'
    checks.push(isLeft ? { ...check, seen: `${check.seen}; remove it: ${id}, ${nameOf(trial)}` } : check)
  }
  return checks
}
