import {
  OPEN_RESOURCES,
  type OpenResource,
  STORED_RESOURCES,
  type StoredResource,
  typeName,
} from '../../core/resources/registry.ts'
import { type JsonNode, type Members, nodeText, parseJsonText } from '../json-text.ts'
import { badParameter, invalidValue, quotedValue } from '../problem.ts'
import { dealWrites, noteWrites } from '../resources/deals.ts'
import { plainWrites } from '../resources/plain.ts'
import { recordDeletion } from '../resources/records.ts'
import type { RecordWrites } from '../resources/routes.ts'
import { pointer } from '../resources/rules.ts'
import {
  deliveryResend,
  ROTATION_OVERLAP_MS,
  secretRotation,
  webhookTest,
  webhookWrites,
} from '../resources/webhooks.ts'
import type { ExpectedVersions } from '../write.ts'
import { JsonValueText, RecordSource, type Resolver } from './query-context.ts'
import { memberName } from './types.ts'

const MAX_OVERLAP_S = 7 * 24 * 60 * 60

type Input<T = unknown> = { readonly input: MutationInput & T }

interface Existing {
  readonly id: string
  readonly ifVersion?: number | null
}

const WRITES: Readonly<Record<StoredResource, RecordWrites>> = {
  ...(Object.fromEntries(OPEN_RESOURCES.map((resource) => [resource, plainWrites(resource)])) as {
    readonly [R in OpenResource]: RecordWrites
  }),
  deal: dealWrites,
  note: noteWrites,
  webhook: webhookWrites,
}

export const mutationResolvers: Readonly<Record<string, Resolver>> = {
  ...Object.fromEntries(STORED_RESOURCES.flatMap(recordMutations)),
  testWebhook: async (_, { input }: Input<Existing>, { writer }) => {
    const { body } = await writer.write(webhookTest(input.id))
    return { webhookId: input.id, eventId: JSON.parse(body).event_id }
  },
  rotateWebhookSecret: async (_, { input }: Input<Existing & { overlapSeconds?: number | null }>, { writer }) => {
    return withSecret(await writer.write(secretRotation(input.id, overlapOf(input.overlapSeconds))))
  },
  resendDelivery: async (_, { input }: Input<{ webhookId: string; eventId: string }>, { writer }) => {
    const { body } = await writer.write(deliveryResend(input.webhookId, input.eventId))
    return { webhook: new RecordSource('webhook', body), eventId: input.eventId }
  },
}

function recordMutations(resource: StoredResource): readonly (readonly [name: string, resolve: Resolver])[] {
  const type = typeName(resource)
  const { create, update } = WRITES[resource]
  const payloadOf = ({ body }: { readonly body: string }) => ({ [resource]: new RecordSource(resource, body) })
  const creation: Resolver = async (_, { input }: Input<{ dealId?: string }>, { writer, isTarget }) => {
    const place = { store: writer.store, isTarget, parentId: input.dealId ?? '' }
    const answer = await writer.write(
      await create(inputMembers(input, resource === 'note' ? [...PLACES, 'dealId'] : PLACES), place),
    )
    return resource === 'webhook' ? withSecret(answer) : payloadOf(answer)
  }
  const change: Resolver = async (_, { input }: Input<Existing>, { writer, isTarget }) => {
    const place = { store: writer.store, isTarget }
    const wanted = await update?.(input.id, inputMembers(input), expectedOf(input), place)
    return wanted && payloadOf(await writer.write(wanted))
  }
  const deletion: Resolver = async (_, { input }: Input<Existing>, { writer }) => {
    await writer.write(recordDeletion(resource, input.id, expectedOf(input)))
    return { deletedId: input.id }
  }
  return [
    [`create${type}`, creation],
    ...(update ? [[`update${type}`, change] as const] : []),
    [`delete${type}`, deletion],
  ]
}

function expectedOf({ ifVersion }: Existing): ExpectedVersions {
  return ifVersion === undefined || ifVersion === null ? undefined : new Set([`${ifVersion}`])
}

function overlapOf(seconds: number | null | undefined): number {
  if (seconds === undefined || seconds === null) return ROTATION_OVERLAP_MS
  if (seconds >= 0 && seconds <= MAX_OVERLAP_S) return seconds * 1000
  const detail = `expected a whole number from 0 to ${MAX_OVERLAP_S}, got ${seconds}`
  throw badParameter('overlapSeconds', 'invalid_number', detail)
}

/** REST shows the secret in the record; GraphQL returns it separately, so that `json` never contains one. */
function withSecret({ body }: { readonly body: string }): object {
  const members = new Map<string, JsonNode>(parseJsonText(body) as Members)
  const secret = members.get('secret')
  members.delete('secret')
  return {
    webhook: new RecordSource('webhook', nodeText(members)),
    secret: typeof secret === 'string' ? JSON.parse(secret) : undefined,
  }
}

/** Arguments that select the record and are not members of it. */
const PLACES = ['id', 'ifVersion', 'json']

/** An `input` of the schema: its own members and those of `json`, named as in REST. */
type MutationInput = Readonly<Record<string, unknown>> & { readonly json?: JsonValueText | null }

/** The members of a record as sent to REST. */
function inputMembers(input: MutationInput, places = PLACES): Members {
  const members = new Map(jsonMembers(input.json))
  for (const [name, value] of Object.entries(input)) {
    if (places.includes(name) || value === undefined) continue
    const member = memberName(name)
    if (members.has(member)) throw namedTwice(name, member)
    members.set(member, value instanceof JsonValueText ? value.text : JSON.stringify(value))
  }
  return members
}

function jsonMembers(json: JsonValueText | null | undefined): Iterable<readonly [string, JsonNode]> {
  if (json === undefined || json === null) return []
  const node = parseJsonText(json.text)
  if (typeof node !== 'string') return node
  throw invalidValue('#', 'wrong_type', `expected json: an object, got ${quotedValue(node)}`)
}

function namedTwice(name: string, member: string): Error {
  return invalidValue(pointer(member), 'ambiguous', `expected ${name} or ${member} of json, not both`)
}
