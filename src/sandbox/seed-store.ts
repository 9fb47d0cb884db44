import { idText, type JsonObject } from '../core/json.ts'
import { isOpenResource, resourceOf } from '../core/resources/registry.ts'
import type { FixtureCollection } from '../fixtures/field-rules.ts'
import { createRecords, RecordRefused, type Seeded, type SeedRequest } from '../fixtures/seed.ts'
import { targetRule } from '../service/delivery/target-rules.ts'
import type { Members } from '../service/json-text.ts'
import { Problem } from '../service/problem.ts'
import { dealCreation, noteCreation } from '../service/resources/deals.ts'
import { parsePipelines } from '../service/resources/pipelines.ts'
import { plainCreation } from '../service/resources/plain.ts'
import { webhookCreation } from '../service/resources/webhooks.ts'
import { parseBodyText } from '../service/route.ts'
import type { Pipeline, Store } from '../service/store/store.ts'
import { type CheckedWrite, writeOnce } from '../service/write.ts'

export type StoreSeed = Omit<SeedRequest, 'stages' | 'create'>

/**
 * Creates the records of fixture files in a new store by the rules of the service, but without a request for each.
 */
export async function seedStore(store: Store, seed: StoreSeed): Promise<Seeded> {
  let pipelines: readonly Pipeline[] = []
  return createRecords({
    ...seed,
    stages: async (wanted) => {
      if (wanted.length > 0) await store.putPipelines(parsePipelines({ pipelines: wanted.map(({ value }) => value) }))
      pipelines = await store.pipelines()
      const named = pipelines.map(({ id, stages }) => [id, stages.map(({ name }) => name)] as const)
      // A deal that names no pipeline goes into the first one.
      return { names: new Map([...named, [undefined, named[0]?.[1] ?? []] as const]), isWhole: true }
    },
    create: (collection, fields) => create(store, pipelines, collection, fields),
  })
}

async function create(
  store: Store,
  pipelines: readonly Pipeline[],
  collection: FixtureCollection,
  fields: JsonObject,
): Promise<string> {
  try {
    const { answer } = await writeOnce(store, { ...creationOf(collection, fields, pipelines), idempotency: undefined })
    return idText(JSON.parse(answer.body).id) ?? ''
  } catch (error) {
    throw error instanceof Problem ? new RecordRefused(error.message, { cause: error }) : error
  }
}

function creationOf(collection: FixtureCollection, fields: JsonObject, pipelines: readonly Pipeline[]): CheckedWrite {
  if (collection === 'deals') return dealCreation(membersOf(fields), pipelines)
  if (collection === 'webhooks') return webhookCreation(membersOf(fields), targetRule(true))
  const resource = resourceOf(collection)
  if (isOpenResource(resource)) return plainCreation(resource, membersOf(fields))
  const { deal, ...body } = fields
  if (deal === undefined) throw new RecordRefused('crm serve has notes on deals alone')
  return noteCreation(String(deal), membersOf(body))
}

function membersOf(fields: JsonObject): Members {
  const node = parseBodyText(JSON.stringify(fields))
  if (typeof node === 'string') throw new Error('an object is parsed as a text')
  return node
}
