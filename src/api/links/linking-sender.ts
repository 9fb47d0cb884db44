import { NOT_KEPT_CODE } from '../../core/other-values.ts'
import type { Resource } from '../../core/resources/registry.ts'
import { type Failure, isFailure } from '../errors/failure.ts'
import type { Answer } from '../transport/answer.ts'
import type { BatchAnswer } from '../writes/batch-sender.ts'
import { FailedRead, fieldsIn, notSentFailure } from '../writes/not-sent.ts'
import type { Write } from '../writes/write.ts'
import { isRefusal, type LinkedRecords, type LinkFault } from './linked-records.ts'

type LinkedOf = (resource: Resource) => LinkedRecords | undefined

/** Of a sender of single writes and of batches. */
interface Sends {
  send(write: Write): Promise<Outcome>
  sendBatch(writes: readonly Write[]): Promise<BatchAnswer>
}

type Outcome = Answer | Failure

/**
 * Writes the links of records by requests of their own, after the rest of the record: all of it together is one try, and has the
 * same effect when it is repeated.
 */
export function createLinkingSender<Sender extends Sends>(sender: Sender, linkedOf: LinkedOf): Sender {
  return {
    ...sender,
    send: async (write) => {
      const linked = linkedOf(write.resource)
      if (!linked || !isLinkedAfter(write, linked)) return sender.send(write)
      const own = hasOwn(write, linked) ? await sender.send(write) : unchanged(write)
      const [outcome = own] = await linkAfter([{ write, own }], linked)
      return outcome
    },
    sendBatch: async (writes) => {
      const linked = writes[0] && linkedOf(writes[0].resource)
      if (!linked || !writes.some((write) => isLinkedAfter(write, linked))) return sender.sendBatch(writes)
      const sent = writes.filter((write) => !isLinkedAfter(write, linked) || hasOwn(write, linked))
      const { outcome, rows } = sent.length > 0 ? await sender.sendBatch(sent) : { outcome: undefined, rows: [] }
      const own = writes.map((write) => (sent.includes(write) ? rows[sent.indexOf(write)] : unchanged(write)))
      const after = await linkAfter(
        writes.map((write, at) => ({ write, own: own[at] })),
        linked,
      )
      return { outcome: outcome ?? after[0], rows: after }
    },
  }
}

function fieldsOf({ body }: Write) {
  return body === null ? {} : fieldsIn(body)
}

/** Those of a plain create are in its own request, where the server takes them there. */
function isLinkedAfter(write: Write, { fields, isInCreate }: LinkedRecords): boolean {
  if (write.kind === 'delete' || (write.kind === 'create' && write.upsertBy === undefined && isInCreate)) return false
  return Object.keys(fieldsOf(write)).some((name) => fields.includes(name))
}

function hasOwn(write: Write, { fields }: LinkedRecords): boolean {
  return write.kind === 'create' || Object.keys(fieldsOf(write)).some((name) => !fields.includes(name))
}

/** Of a change of links alone. */
function unchanged({ id }: Write): Answer {
  const record = id === undefined ? undefined : { id }
  return { status: 200, headers: {}, json: undefined, written: { type: 'done', record, id, quoted: () => record } }
}

async function linkAfter(
  all: readonly { readonly write: Write; readonly own: Outcome | undefined }[],
  linked: LinkedRecords,
): Promise<(Outcome | undefined)[]> {
  const writes = all.flatMap(({ write, own }) => {
    const id = own && !isFailure(own) && own.written?.type === 'done' ? (write.id ?? own.written.id) : undefined
    if (id === undefined || !isLinkedAfter(write, linked)) return []
    return [{ id, fields: fieldsOf(write), was: write.was, own }]
  })
  const { faults, failure } = await writeLinks(linked, writes)
  return all.map(({ write, own }) => {
    const one = writes.find((each) => each.own === own)
    if (!one || !own || isFailure(own)) return own
    if (failure) return isRefusal(failure) && hasOwn(write, linked) ? unkept(failure.reason, own) : failure
    const fault = faults.get(one.id)
    if (!fault) return own
    if (fault.isRefused && write.kind === 'update') return unkept(`the answer ${fault.why}`, own, fault.field)
    return { ...own, written: { type: 'in doubt', why: fault.why, isContradiction: !fault.isRefused } }
  })
}

async function writeLinks(linked: LinkedRecords, writes: Parameters<LinkedRecords['write']>[0]) {
  try {
    return { faults: await linked.write(writes) }
  } catch (error) {
    const failure = error instanceof FailedRead ? error.failure : notSentFailure(error)
    return { faults: new Map<string, LinkFault>(), failure }
  }
}

/** The rest of the record was written. */
function unkept(reason: string, { status, headers }: Answer, field?: string): Failure {
  const known = {
    code: 'rejected',
    serverCode: NOT_KEPT_CODE,
    rule: 'never',
    isInDoubt: false,
    status,
    headers,
  } as const
  return { ...known, ...(field !== undefined && { field }), reason, hint: 'name records that the server has' }
}
