import { OPEN_RESOURCES, type OpenResource, typeName } from '../../core/resources/registry.ts'
import { type JsonNode, type Members, nodeText, parseJsonText } from '../json-text.ts'
import { badParameter } from '../problem.ts'
import { dealCreation, dealDeletion, dealUpdate, noteCreation, noteDeletion } from '../resources/deals.ts'
import { plainCreation, plainDeletion, plainUpdate } from '../resources/plain.ts'
import {
  deliveryResend,
  ROTATION_OVERLAP_MS,
  secretRotation,
  webhookCreation,
  webhookDeletion,
  webhookTest,
  webhookUpdate,
} from '../resources/webhooks.ts'
import type { CheckedWrite, ExpectedVersions } from '../write.ts'
import { inputMembers, type MutationInput } from './members.ts'
import type { Resolver } from './query-context.ts'
import { RecordSource } from './record-source.ts'

const MAX_OVERLAP_S = 7 * 24 * 60 * 60

type Input<T = unknown> = { readonly input: MutationInput & T }

interface Existing {
  readonly id: string
  readonly ifVersion?: number | null
}

export const mutationResolvers: Readonly<Record<string, Resolver>> = {
  ...Object.fromEntries(OPEN_RESOURCES.flatMap(plainMutations)),
  createDeal: async (_, { input }: Input, { writer }) => {
    const { body } = await writer.write(dealCreation(inputMembers(input), await writer.store.pipelines()))
    return { deal: new RecordSource('deal', body) }
  },
  updateDeal: async (_, { input }: Input<Existing>, { writer }) => {
    const rules = { expected: expectedOf(input), pipelines: await writer.store.pipelines() }
    const { body } = await writer.write(dealUpdate(input.id, inputMembers(input), rules))
    return { deal: new RecordSource('deal', body) }
  },
  deleteDeal: deletion(dealDeletion),
  deleteNote: deletion(noteDeletion),
  createNote: async (_, { input }: Input<{ readonly dealId: string }>, { writer }) => {
    const { body } = await writer.write(noteCreation(input.dealId, inputMembers(input)))
    return { note: new RecordSource('note', body) }
  },
  createWebhook: async (_, { input }: Input, { writer, isTarget }) => {
    return withSecret(await writer.write(webhookCreation(inputMembers(input), isTarget)))
  },
  updateWebhook: async (_, { input }: Input<Existing>, { writer, isTarget }) => {
    const rules = { expected: expectedOf(input), isTarget }
    const { body } = await writer.write(webhookUpdate(input.id, inputMembers(input), rules))
    return { webhook: new RecordSource('webhook', body) }
  },
  testWebhook: async (_, { input }: Input<Existing>, { writer }) => {
    const { body } = await writer.write(webhookTest(input.id))
    return { webhookId: input.id, eventId: JSON.parse(body).event_id }
  },
  deleteWebhook: deletion(webhookDeletion),
  rotateWebhookSecret: async (_, { input }: Input<Existing & { overlapSeconds?: number | null }>, { writer }) => {
    return withSecret(await writer.write(secretRotation(input.id, overlapOf(input.overlapSeconds))))
  },
  resendDelivery: async (_, { input }: Input<{ webhookId: string; eventId: string }>, { writer }) => {
    const { body } = await writer.write(deliveryResend(input.webhookId, input.eventId))
    return { webhook: new RecordSource('webhook', body), eventId: input.eventId }
  },
}

function plainMutations(resource: OpenResource): readonly (readonly [name: string, resolve: Resolver])[] {
  const type = typeName(resource)
  const payloadOf = ({ body }: { readonly body: string }) => ({ [resource]: new RecordSource(resource, body) })
  const create: Resolver = async (_, { input }: Input, { writer }) =>
    payloadOf(await writer.write(plainCreation(resource, inputMembers(input))))
  const change: Resolver = async (_, { input }: Input<Existing>, { writer }) => {
    const wanted = { patch: inputMembers(input), expected: expectedOf(input) }
    return payloadOf(await writer.write(plainUpdate(resource, input.id, wanted)))
  }
  return [
    [`create${type}`, create],
    [`update${type}`, change],
    [`delete${type}`, deletion((id, expected) => plainDeletion(resource, id, expected))],
  ]
}

function deletion(writeOf: (id: string, expected: ExpectedVersions) => CheckedWrite): Resolver {
  return async (_, { input }: Input<Existing>, { writer }) => {
    await writer.write(writeOf(input.id, expectedOf(input)))
    return { deletedId: input.id }
  }
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
