import { createHash } from 'node:crypto'
import { type Failure, isFailure, isGoneStatus } from '../../api/errors/failure.ts'
import { encodeSegment } from '../../api/path.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender, Write } from '../../api/writes/sender.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { type ImportableResource, RESOURCES, uniqueByOf } from '../../core/resources/registry.ts'

/** The response to a create that changed an existing record, because another writer created it after planning. */
export interface ChangedInstead extends Answer {
  readonly changedId: string
}

/** The member by which rows are matched. */
export interface MatchedBy {
  readonly resource: ImportableResource
  readonly member: string
}

/** `Contact already exists. Existing ID: 123`: https://developers.hubspot.com/docs/api/error-handling */
const EXISTING_ID = /\bexisting ID: ?([\w-]+)/i

/** The number of attempts; a record may be deleted between the two requests of one, but not by chance in all of them. */
const MOST_TURNS = 3

/**
 * Sends the creates of an upsert: a create that is refused because a record has its value of `member` becomes a change of that
 * record. Both requests are one try. The create is refused each time and the change sets the same values again, so an
 * interrupted try is safe to repeat, under keys derived from that of the create.
 */
export function createUpsertSender(sender: Sender, matched: MatchedBy): Sender {
  return {
    ask: sender.ask,
    close: sender.close,
    send: async (write) => {
      if (write.method !== 'POST') return sender.send(write)
      let outcome = await createOrChange(sender, write, matched)
      for (let turn = 1; turn < MOST_TURNS && isGoneStatus(outcome.status); turn++) {
        outcome = await createOrChange(sender, write, matched)
      }
      return outcome
    },
  }
}

async function createOrChange(sender: Sender, write: Write, matched: MatchedBy): Promise<Answer | Failure> {
  const outcome = await sender.send(write)
  const id = isFailure(outcome) ? existingIdIn(outcome, matched) : undefined
  if (id === undefined) return outcome
  const changed = await sender.send(changeOf(write, matched.resource, id))
  if (isFailure(changed)) return { ...changed, isInDoubt: false }
  const turned: ChangedInstead = { ...changed, changedId: id }
  return turned
}

export function changedId(answer: Answer): string | undefined {
  return 'changedId' in answer ? (answer as ChangedInstead).changedId : undefined
}

function changeOf(write: Write, resource: ImportableResource, id: string): Write {
  const idempotencyKey = createHash('sha256').update(`${write.idempotencyKey}\0${id}`).digest('base64url').slice(0, 32)
  const path = `${write.path}/${encodeSegment(id, resource, `crm ${RESOURCES[resource].plural} list`)}`
  return { ...write, method: 'PATCH', path, idempotencyKey, action: `update ${id}` }
}

/** Undefined if the existing record is unknown, or does not match the row. */
function existingIdIn({ status, body, field }: Failure, { resource, member }: MatchedBy): string | undefined {
  const json = status === 409 && body ? jsonOf(body) : undefined
  if (!isJsonObject(json)) return undefined
  if ((field ?? uniqueByOf(resource)) !== member) return undefined
  return idText(json.existing_id) ?? EXISTING_ID.exec(textOf(json))?.[1]
}

function textOf({ message, detail }: JsonObject): string {
  return [message, detail].filter((text) => typeof text === 'string').join(' ')
}

function jsonOf(body: Buffer): JsonValue | undefined {
  try {
    return parseExactJson(body.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
