import { createHash } from 'node:crypto'
import { type Failure, isFailure, isGoneStatus } from '../../api/errors/failure.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { Write } from '../../api/writes/write.ts'
import { idText, isJsonObject, isSameJson, type JsonObject, type JsonValue, jsonIn, memberOf } from '../../core/json.ts'
import { isAlike, NOT_KEPT_CODE } from '../../core/other-values.ts'
import { type CrmRecord, type ImportableResource, resourceOf, uniqueByOf } from '../../core/resources/registry.ts'
import { jsonText } from '../../output/safe-text.ts'
import type { PlanHead } from '../plan/plan-format.ts'
import { createDealSender } from './deal-mutations.ts'

/** The sender of a job: changes of deals and creates of an upsert are not sent as the plan describes them. */
export function senderFor({ updates, upsert, terms, noun }: PlanHead, sender: Sender): Sender {
  if (upsert !== undefined) return sender
  const [member, ...others] = terms?.match.mode === 'upsert' ? terms.match.names : []
  if (member !== undefined && others.length === 0) {
    return createUpsertSender(sender, { resource: resourceOf(noun), member })
  }
  return updates === undefined ? sender : createDealSender(sender, updates)
}

/** `Contact already exists. Existing ID: 123`: https://developers.hubspot.com/docs/api/error-handling */
const EXISTING_ID = /\bexisting ID: ?([\w-]+)/i

/** The number of attempts; a record may be deleted between the two requests of one, but not by chance in all of them. */
const MOST_TURNS = 3

/** The response to a create that changed an existing record, because another writer created it after planning. */
interface ChangedInstead extends Answer {
  readonly changedId: string
}

/** The refusal of a create for a record that cannot be changed. */
interface GoneInstead extends Failure {
  readonly goneId: string
}

/** The member by which rows are matched. */
interface MatchedBy {
  readonly resource: ImportableResource
  readonly member: string
}

/**
 * Sends the creates of an upsert: a create that is refused because a record has its value of `member` becomes a change of that
 * record. Both requests are one try. The create is refused each time and the change sets the same values again, so an
 * interrupted try is safe to repeat, under keys derived from that of the create.
 */
export function createUpsertSender(sender: Sender, matched: MatchedBy): Sender {
  return {
    ...sender,
    // A refused create of a batch could not become a change.
    inBatch: (write) => (write.kind === 'create' ? undefined : sender.inBatch(write)),
    send: async (write) => {
      if (write.kind !== 'create') return sender.send(write)
      let outcome = await createOrChange(sender, write, matched)
      for (let turn = 1; turn < MOST_TURNS && 'goneId' in outcome; turn++) {
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
  const changed = await sender.send(changeOf(write, id))
  // The server keeps the value for a record that it shows no more.
  if (isFailure(outcome) && isFailure(changed) && isGoneStatus(changed.status)) {
    const reason = `${outcome.reason}; ${id}, which has this ${matched.member}, is archived or deleted`
    const gone: GoneInstead = { ...outcome, rule: 'never', isInDoubt: false, reason, goneId: id }
    return gone
  }
  if (isFailure(changed)) return { ...changed, isInDoubt: false }
  const turned: ChangedInstead = { ...changed, changedId: id }
  return turned
}

export function changedId(answer: Answer): string | undefined {
  return 'changedId' in answer ? (answer as ChangedInstead).changedId : undefined
}

function changeOf(write: Write, id: string): Write {
  const idempotencyKey = createHash('sha256').update(`${write.idempotencyKey}\0${id}`).digest('base64url').slice(0, 32)
  return { ...write, kind: 'update', id, idempotencyKey, action: `update ${id}` }
}

/** Undefined if the existing record is unknown, or does not match the row. */
function existingIdIn({ status, body, field }: Failure, { resource, member }: MatchedBy): string | undefined {
  const json = status === 409 && body ? jsonIn(body.toString('utf8')) : undefined
  if (!isJsonObject(json)) return undefined
  if ((field ?? uniqueByOf(resource)) !== member) return undefined
  return idText(json.existing_id) ?? EXISTING_ID.exec(textOf(json))?.[1]
}

function textOf({ message, detail }: JsonObject): string {
  return [message, detail].filter((text) => typeof text === 'string').join(' ')
}

/** The records with these ids, as far as they exist. */
export type ReadRecords = (ids: readonly string[]) => Promise<ReadonlyMap<string, CrmRecord>>

/**
 * Reads the records of changes that no version guards immediately before their request, and refuses those that differ from what was planned
 * with. This is no guard: a change between the two requests is overwritten. A change is none, whatever its status, if its record still has
 * the value that it replaces.
 */
export function createReadingSender(sender: Sender, read: ReadRecords): Sender {
  const refusals = async (writes: readonly Write[]): Promise<readonly (Failure | undefined)[]> => {
    const ids = writes.flatMap(({ id, was }) => (id === undefined || was === undefined ? [] : [id]))
    if (ids.length === 0) return []
    const now = await read(ids)
    return writes.map((write) => refusalOf(write, now.get(write.id ?? ''), sender.linkFields(write.resource)))
  }
  const kept = new KeptMembers()
  const readBack = async (
    writes: readonly Write[],
    outcomes: readonly (Answer | Failure | undefined)[],
  ): Promise<readonly (Answer | Failure | undefined)[]> => {
    const changes = writes.map((write, at) => changeIn(write, outcomes[at]))
    const ids = changes.flatMap((change) => (change && kept.isRead(change) ? [change.id] : []))
    // The change was taken: without an answer to this read it stands.
    const now = ids.length === 0 ? NONE : await read(ids).catch(() => NONE)
    return outcomes.map((outcome, at) => {
      const change = changes[at]
      return change ? (kept.judge(change, now.get(change.id)) ?? outcome) : outcome
    })
  }
  return {
    ...sender,
    send: async (write) => {
      const outcome = (await refusals([write]))[0] ?? (await sender.send(write))
      return (await readBack([write], [outcome]))[0] ?? outcome
    },
    sendBatch: async (writes) => {
      const refused = await refusals(writes)
      const rest = writes.filter((_, at) => !refused[at])
      if (rest.length === 0) return { outcome: undefined, rows: refused }
      const { outcome, rows } = await sender.sendBatch(rest)
      const left = (await readBack(rest, rows))[Symbol.iterator]()
      return { outcome, rows: writes.map((_, at) => refused[at] ?? left.next().value) }
    },
  }
}

const NONE: ReadonlyMap<string, CrmRecord> = new Map()

/** A change that a server took. */
interface Change {
  readonly id: string
  readonly answer: Answer
  readonly before: JsonObject
  readonly sent: JsonObject
  readonly shown: JsonObject
  /** The answer does not show a value that servers are known to take and not to keep. */
  readonly isUnshown: boolean
  /** Members that replace a value, and that the answer does not show. */
  readonly replaced: readonly string[]
}

/** A member whose replaced value the server has kept is not read back again in this job, until a value of it is not kept. */
class KeptMembers {
  readonly #kept = new Set<string>()
  readonly #lost = new Set<string>()

  isRead({ isUnshown, replaced }: Change): boolean {
    return isUnshown || replaced.some((name) => this.#lost.has(name) || !this.#kept.has(name))
  }

  judge(change: Change, record: CrmRecord | undefined): Failure | undefined {
    const failure = unkeptBy(change, record)
    if (failure?.field !== undefined) this.#lost.add(failure.field)
    else if (record) for (const name of change.replaced) this.#kept.add(name)
    return failure
  }
}

function changeIn({ kind, id, was, body }: Write, answer: Answer | Failure | undefined): Change | undefined {
  const [before, sent] = [objectIn(was), objectIn(body?.toString('utf8'))]
  if (!answer || isFailure(answer) || answer.written?.type !== 'done') return undefined
  if (kind !== 'update' || id === undefined || !before || !sent) return undefined
  const shown = answer.written.record ?? {}
  const isUnshown = Object.entries(sent).some(([name, value]) =>
    isEmpty(value) ? !Object.hasOwn(shown, name) : name === 'stage' && isEmpty(memberOf(shown, name)),
  )
  const replaced = Object.keys(sent).filter((name) => !Object.hasOwn(shown, name) && !isEmpty(memberOf(before, name)))
  return { id, answer, before, sent, shown, isUnshown, replaced }
}

function unkeptBy({ answer, before, sent, shown }: Change, record: CrmRecord | undefined): Failure | undefined {
  const now = { ...shown, ...record }
  const isSame = (name: string, values: JsonObject) => isAlike(memberOf(now, name), memberOf(values, name))
  const name = Object.keys(sent).find(
    (each) =>
      Object.hasOwn(now, each) && !isEmpty(memberOf(before, each)) && isSame(each, before) && !isSame(each, sent),
  )
  if (name === undefined) return undefined
  return {
    ...{ code: 'rejected', serverCode: NOT_KEPT_CODE, rule: 'never', isInDoubt: false, field: name },
    ...{ status: answer.status, headers: answer.headers },
    reason: `not kept: the server answered ${answer.status}, and the record still has ${jsonText(memberOf(before, name))}`,
    hint: 'the server has a rule against this value',
  }
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function refusalOf(
  { kind, was, body }: Write,
  record: CrmRecord | undefined,
  linkFields: readonly string[],
): Failure | undefined {
  const [before, sent] = [objectIn(was), objectIn(body?.toString('utf8'))]
  if (!record || !before) return undefined
  const isSame = (name: string, values: JsonObject) =>
    isSameJson(memberOf(record, name), memberOf(values, name)) ||
    isAlike(memberOf(record, name), memberOf(values, name))
  const name = Object.keys(before).find((each) => {
    // A record that is read alone may show fewer members than in a list.
    if (kind === 'delete') return Object.hasOwn(record, each) && !isSame(each, before)
    if (linkFields.includes(each)) return false
    // A try whose response was lost may have written it.
    return !isSame(each, before) && !(sent && isSame(each, sent))
  })
  if (name === undefined) return undefined
  const [old, now] = [memberOf(before, name), memberOf(record, name)].map((value) => jsonText(value))
  return {
    ...{ code: 'precondition_failed', status: 412, rule: 'never', isInDoubt: false, field: name },
    reason: `changed since it was planned, from ${old} to ${now}; it was not sent`,
    hint: 'crm jobs retry applies it to the current record',
  }
}

function objectIn(text: string | undefined): JsonObject | undefined {
  const value = text === undefined ? undefined : jsonIn(text)
  return isJsonObject(value) ? value : undefined
}
