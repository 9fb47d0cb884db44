import type { Api } from '../../src/api/api.ts'
import type { Operations, Page } from '../../src/api/operations.ts'
import { CrmError } from '../../src/core/errors.ts'
import { idText, type JsonObject } from '../../src/core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../src/core/resources/registry.ts'
import type { Exchange } from './mock-server.ts'

/** A client of the mock, and what earlier operations found, for those that need the id of a record. */
export interface Visit {
  readonly api: Api
  /** Of this operation. */
  exchanges(): readonly Exchange[]
  contact?: CrmRecord | undefined
  deal?: CrmRecord | undefined
  pipeline?: CrmRecord | undefined
  stage?: CrmRecord | undefined
}

export interface MockOperation {
  readonly name: string
  readonly resource: Resource
  readonly operation: 'list' | 'get' | 'create' | 'update' | 'delete'
  /** One of the nine of the contract. */
  readonly isOfContract: boolean
  /** Resolves, maybe with a remark, if the answer became a record or a list of crm; else CrmError. */
  run(visit: Visit): Promise<string | undefined>
}

const WRITING = { idempotencyKey: undefined, ifMatch: undefined }

/** In an order in which each finds what it needs. */
export const OPERATIONS: readonly MockOperation[] = [
  nine('contacts list', 'contact', 'list', async (visit) => {
    visit.contact = await firstOf(visit.api.contacts.list())
    return withId(visit.contact)
  }),
  nine('contacts create', 'contact', 'create', (visit) =>
    created(visit, 'contact', { name: 'Ada Lovelace', email: 'ada@engines.test', phone: '+15550100' }),
  ),
  nine('contacts update', 'contact', 'update', async ({ api, contact }) =>
    withId(await api.contacts.update(idOf(contact), { name: 'Ada King', phone: '+15550101' }, WRITING)),
  ),
  nine('contacts delete', 'contact', 'delete', async ({ api, contact }) => {
    await api.contacts.delete(idOf(contact), WRITING)
    return undefined
  }),
  nine('pipelines stages', 'stage', 'list', async (visit) => {
    const { api } = visit
    if (api.connector.offers('pipeline', 'list')) visit.pipeline = await firstOf(api.pipelines.list())
    const parentId = api.connector.rules('stage').parent && idOf(visit.pipeline)
    visit.stage = await firstOf(api.stages(parentId).list())
    return withId(visit.stage)
  }),
  nine('deals list', 'deal', 'list', async (visit) => {
    visit.deal = await firstOf(visit.api.deals.list())
    return withId(visit.deal)
  }),
  nine('deals create', 'deal', 'create', (visit) => {
    const { api, contact, deal, stage, pipeline } = visit
    const isOwned = api.connector.document.resources.deal?.fields.owner_id?.required
    const owner = idText(deal?.owner_id) ?? (isOwned ? '50cf242c-7fa3-4cad-87d0-75b1af71c57b' : undefined)
    return created(visit, 'deal', {
      name: 'Engine no. 2',
      amount: 100,
      currency: 'EUR',
      close_date: '2026-12-31',
      ...(stage && { stage: stage.name ?? null, pipeline_id: stage.pipeline_id ?? pipeline?.id ?? null }),
      ...(contact && { contact_id: idOf(contact) }),
      ...(owner !== undefined && { owner_id: owner }),
    })
  }),
  more('deals get', 'deal', 'get', async ({ api, deal }) => withId(await api.deals.get(idOf(deal)))),
  more('deals update', 'deal', 'update', async ({ api, deal }) =>
    withId(await api.deals.update(idOf(deal), { amount: 250 }, WRITING)),
  ),
  nine('notes add', 'note', 'create', (visit) => created(visit, 'note', { body: 'Called back' })),
  more('notes list', 'note', 'list', async ({ api, deal }) => withId(await firstOf(api.notes(idOf(deal)).list()))),
  more('deals delete', 'deal', 'delete', async ({ api, deal }) => {
    await api.deals.delete(idOf(deal), WRITING)
    return undefined
  }),
  nine('webhooks create', 'webhook', 'create', (visit) => {
    const { map } = visit.api.connector.document.resources.webhook?.fields.events ?? {}
    const events = [Object.keys(map ?? {})[0] ?? 'contact.created']
    return created(visit, 'webhook', { url: 'https://hooks.engines.test/crm', events })
  }),
]

type Parts = [name: string, resource: Resource, operation: MockOperation['operation'], run: MockOperation['run']]

function nine(...[name, resource, operation, run]: Parts): MockOperation {
  return { name, resource, operation, isOfContract: true, run }
}

/** Offered by some servers. */
function more(...[name, resource, operation, run]: Parts): MockOperation {
  return { name, resource, operation, isOfContract: false, run }
}

/** Of the whole list. */
async function firstOf(pages: AsyncIterable<Page>): Promise<CrmRecord | undefined> {
  const records: CrmRecord[] = []
  for await (const { items } of pages) records.push(...items)
  return records[0]
}

/**
 * A mock answers with its example whatever was sent, which crm takes for the answer to another request. Then the values of the
 * example are sent; where they cannot be, the example is read alone.
 */
async function created(visit: Visit, resource: Resource, fields: JsonObject): Promise<string | undefined> {
  const { api, deal } = visit
  const collection: Operations =
    resource === 'note' ? api.notes(idOf(deal)) : api[RESOURCES[resource].plural as keyof Pick<Api, 'contacts'>]
  const sent = mapped(api, resource, fields)
  try {
    return withId(await collection.create(sent, WRITING))
  } catch (error) {
    if (!isAnotherRecord(error)) throw error
  }
  const shown = exampleOf(visit, resource)
  withId(shown)
  const values = Object.keys(sent).map((name) => [name, shown[name] ?? sent[name] ?? null] as const)
  try {
    return withId(await collection.create(Object.fromEntries(values), WRITING))
  } catch (error) {
    if (!isAnotherRecord(error) && !(error instanceof CrmError && error.code === 'invalid_input')) throw error
    return 'the request is accepted, and the example of the answer is another record: values that this request cannot have'
  }
}

function isAnotherRecord(error: unknown): boolean {
  return error instanceof CrmError && /shows a different record|but (?:that record has none|shows)/.test(error.message)
}

/** The record that the mock showed of the create, in crm's names: in its answer, or when it was read. */
function exampleOf({ api, exchanges }: Visit, resource: Resource): CrmRecord {
  const rules = api.connector.rules(resource)
  const { method, path } = rules.operation('create')
  const answerTo = (isIt: (line: string) => boolean) => exchanges().findLast(({ line }) => isIt(line))?.answer
  const json = answerTo((line) => line.startsWith(`${method} `) && line.replace(/\?.*/, '').endsWith(path))
  const made = rules.judge('create')(
    { status: 201, headers: {}, json },
    { kind: 'create', sent: undefined },
    api.references,
  )
  const record = made.type === 'done' ? made.record : undefined
  if (record && Object.keys(record).length > 1) return record
  const read = rules.serverRecord(answerTo((line) => line.startsWith('GET ')))
  return read ? rules.map.read(read, api.references) : {}
}

function withId(record: CrmRecord | undefined): undefined {
  idOf(record)
}

/** CrmError `bad_answer` for none. */
function idOf(record: CrmRecord | undefined): string {
  const id = idText(record?.id)
  if (id !== undefined) return id
  const shown = record === undefined ? 'no record' : `a record without an id: ${JSON.stringify(record).slice(0, 80)}`
  throw new CrmError('bad_answer', `the answer has ${shown}`, { hint: 'correct the paths of the connector' })
}

/** The fields that the connector maps and writes. */
function mapped({ connector }: Api, resource: Resource, fields: JsonObject): JsonObject {
  const known = connector.document.resources[resource]?.fields ?? {}
  return Object.fromEntries(Object.entries(fields).filter(([name]) => (known[name]?.write.length ?? 0) > 0))
}
