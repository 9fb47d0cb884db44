import { createHash } from 'node:crypto'
import { type Failure, isFailure, isGoneStatus } from '../../api/errors/failure.ts'
import { encodeSegment } from '../../api/path.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender, Write } from '../../api/writes/sender.ts'
import { idText, parseExactJson } from '../../core/exact-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { type ImportableResource, RESOURCES, uniqueByOf } from '../../core/resources/registry.ts'

/** The answer to a create that changed a record which was there: another writer came between the plan and this. */
export interface TurnedAnswer extends Answer {
  readonly turnedTo: string
}

/** What rows are matched by. */
export interface MatchedBy {
  readonly resource: ImportableResource
  readonly member: string
}

/** `Contact already exists. Existing ID: 123`: https://developers.hubspot.com/docs/api/error-handling */
const EXISTING_ID = /\bexisting ID: ?([\w-]+)/i

/** A record that goes and comes back between two requests is met again; more often it is not chance. */
const MOST_TURNS = 3

/**
 * Sends the creates of an upsert: one that is refused because a record has its value of `member`, by which rows are matched,
 * becomes the change of that record. Both requests are one try. The create is refused as often as it is sent and the change says
 * the same twice, so that a try which was cut short anywhere is safe to repeat, under keys that follow from that of the create.
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
  const turned: TurnedAnswer = { ...changed, turnedTo: id }
  return turned
}

export function turnedTo(answer: Answer): string | undefined {
  return 'turnedTo' in answer ? (answer as TurnedAnswer).turnedTo : undefined
}

function changeOf(write: Write, resource: ImportableResource, id: string): Write {
  const idempotencyKey = createHash('sha256').update(`${write.idempotencyKey}\0${id}`).digest('base64url').slice(0, 32)
  const path = `${write.path}/${encodeSegment(id, resource, `crm ${RESOURCES[resource].plural} list`)}`
  return { ...write, method: 'PATCH', path, idempotencyKey, action: `update ${id}` }
}

/** Undefined when the existing record is unknown, or is not the one of the row. */
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
