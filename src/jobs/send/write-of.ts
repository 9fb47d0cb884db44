import type { Write } from '../../api/writes/write.ts'
import { idempotencyKey } from '../plan/digest.ts'
import { parentIdIn, sentKind } from '../plan/plan-format.ts'
import type { DispatchParts } from './services.ts'
import type { Task } from './task-queue.ts'

type WriteParts = Pick<DispatchParts, 'account' | 'run' | 'resource' | 'upsertBy'>

/** The request of an operation, with the same idempotency key each time that its generation is sent. */
export function writeOf({ operation: { op, head, body }, gen }: Task, parts: WriteParts): Write {
  const { account, run, resource, upsertBy } = parts
  const { digest, n, path, id } = head
  const key = idempotencyKey({ account, run, digest, n, gen })
  const action = `${head.do} ${head.id ?? `what line ${head.line ?? op + 1} says`}`
  const parentId = parentIdIn(resource, path)
  const upsert = head.do === 'create' && { upsertBy }
  return {
    kind: sentKind(head),
    resource,
    id,
    parentId,
    body,
    ...upsert,
    ...(head.restores && { isRestore: true }),
    idempotencyKey: key,
    ifMatch: head.ifMatch,
    was: head.ifMatch === undefined ? head.was : undefined,
    action,
  }
}
