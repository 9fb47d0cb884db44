import type { CommandShape } from '../shape.ts'
import { ADA, serving, single, type WriteShape } from './write-shape.ts'

const { id } = ADA

export const doubt = (json: object, status = 200): WriteShape => ({
  name: `${status} and ${JSON.stringify(json)}`,
  answer: { status, json },
  right: { doubt: /neither a record nor a refusal/ },
})
export const done = (json: object, more: { readonly status?: number; readonly shows?: string } = {}): WriteShape => ({
  name: `${more.status ?? 200} and ${JSON.stringify(json)}`,
  answer: { status: more.status ?? 200, json },
  right: { done: more.shows ?? id },
})
export const gone = (json: object): WriteShape => done(json, { shows: '' })

const WAITING: readonly WriteShape[] = [
  doubt({ id, status: 'pending_approval' }),
  doubt({ id, state: 'AwaitingReview' }),
  doubt({ id, status: 'approval pending' }),
  doubt({ id, scheduled_for_deletion: true }),
  doubt({ id, requiresApproval: true }),
  doubt({ success: true, status: 'approval_pending', data: ADA }),
]

const NOT_DELETED: readonly WriteShape[] = [
  doubt({ delete_contacts_by_pk: null }),
  doubt({ data: { deleteContact: null } }),
  doubt({ contact: null }),
  doubt({ success: true, deletedContact: null }),
  doubt({ ...ADA, status: 'pending_deletion' }),
  doubt({ ...ADA, deletion_scheduled_at: '2026-12-24T00:00:00Z' }),
  doubt({ success: true, status: 'awaiting approval' }),
  doubt({ id, archived: false }),
  doubt({ ...ADA, isArchived: false }),
  doubt({ id, deleted_at: null }),
  doubt({ ...ADA, deletedAt: null }),
  gone({ data: null }),
  gone({ data: null, error: null }),
  gone({ ...ADA, archived: true }),
  gone({ ...ADA, deleted_at: '2026-11-22T00:00:00Z', archived: false }),
  gone({ success: true, data: { ...ADA, deleted_at: null } }),
  gone({ ...ADA, status: 'pending', demo_scheduled: true }),
]

const MATCHED_NONE: WriteShape = {
  name: '204 and Content-Range */0',
  answer: { status: 204, headers: { 'content-range': '*/0' } },
  right: { doubt: /no record matched \(Content-Range: \*\/0\)/ },
}
const MATCHED_ONE: WriteShape = {
  name: '204 and Content-Range */1',
  answer: { status: 204, headers: { 'content-range': '*/1' } },
  right: { done: id },
}

/** That nothing was deleted is no proof of a create or an update. */
const NO_PROOF: readonly WriteShape[] = [
  doubt({ id, deleted: false }),
  doubt({ id, archived: false }),
  doubt({ id, deleted_at: null }),
  done({ id, phone: '1', archived: false }),
  done({ ...ADA, archived: false, deleted_at: null }),
  done({ ...ADA, status: 'pending_approval' }),
]

export const WRITES_NOT_DONE: readonly CommandShape[] = [
  ...single(
    'create',
    ['--set', 'name=Ada', '--set', 'email=ada@example.com', '-o', 'id'],
    [...WAITING, ...NO_PROOF, done({ id, deleted: false }, { status: 201 }), done({ id: 'other' }, { shows: 'other' })],
  ),
  ...single(
    'update',
    [id, '--set', 'name=Ada', '-o', 'id'],
    [...WAITING, ...NO_PROOF, MATCHED_NONE, MATCHED_ONE, doubt({ update_contacts_by_pk: null })],
  ),
  ...single(
    'delete',
    [id, '--yes'],
    [...WAITING, ...NOT_DELETED, MATCHED_NONE, { ...MATCHED_ONE, right: { done: '' } }],
  ),
  ...[...NOT_DELETED, MATCHED_NONE].map(
    ({ name, answer, right }): CommandShape => ({
      name: `a deletion of many, still listed, answered with ${name}`,
      argv: ['contacts', 'delete', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes', '--expect', '1'],
      stdin: `id\n${id}\n`,
      answer: serving(answer, [ADA]),
      settings: { 'wire.request_life': '1s' },
      // A deletion in doubt is repeated.
      right: 'done' in right ? { exit: 0, writes: 1 } : { exit: 3, stderr: /in doubt/ },
    }),
  ),
]
