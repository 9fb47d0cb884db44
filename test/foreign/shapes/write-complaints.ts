import type { CommandShape } from '../shape.ts'
import { done, doubt, gone } from './write-not-done.ts'
import { ADA, single, type WriteShape } from './write-shape.ts'

const { id, ...SENT } = ADA

const refused = (json: object, text: RegExp): WriteShape => ({
  name: JSON.stringify(json),
  answer: { status: 200, json },
  right: { refused: text },
})

/** An id beside the reasons why nothing was done (Marketo and others). */
const REASONS: readonly WriteShape[] = [
  refused({ success: true, result: [{ id, status: 'skipped', reasons: [{ code: '1004', message: 'gone' }] }] }, /gone/),
  refused({ id, status: 'rejected', reasons: ['locked'] }, /locked/),
  refused({ id, status: 'skipped', failures: ['locked'] }, /locked/),
]

/** JSON-RPC 2.0, section 5: the id is that of the request. */
const RPC: readonly WriteShape[] = [
  doubt({ jsonrpc: '2.0', id: 1, result: null }),
  doubt({ jsonrpc: '2.0', id: 1, result: { status: 'queued' } }),
  doubt({ result: { creates: [{ success: false, error: { code: 301 }, id: 0 }] }, error: null, id: 'req-77' }),
]

const CREATES: readonly WriteShape[] = [
  ...RPC,
  done({ jsonrpc: '2.0', id: 'apeye', result: ADA, error: null }),
  { ...doubt({ Id: 'g', Contacts: [{ ...SENT, HasValidationErrors: true }] }), right: { doubt: /HasValidation/ } },
  done({ Id: 'g', Status: 'OK', ProviderName: 'API', Contacts: [ADA] }),
  doubt({ ...SENT, id: null }),
  doubt({ ...SENT, id: 0 }),
  done({ id, warnings: ['the phone was reformatted'] }),
]

const UPDATES: readonly WriteShape[] = [
  ...REASONS,
  doubt({ jsonrpc: '2.0', id: 1, result: null }),
  doubt({ id, warnings: ['name is read-only and was ignored'] }),
  doubt({ id, violations: [{ field: 'name' }] }),
  doubt({ id, messages: ['name cannot be changed'] }),
  done({ contact: ADA, labels: [] }),
  done({ fieldValues: [], contact: ADA }),
  done({ contact: ADA, users: [{ id: 'u1' }], tags: [] }),
  done({ result: true, time: { start: 1 } }),
  done({ success: true, requestId: 'r1' }),
]

const DELETES: readonly WriteShape[] = [
  ...REASONS,
  doubt({ id, status: 'not_deleted', why: 'open deals; cannot be deleted' }),
  doubt({ id, status: 'deletion_requested' }),
  doubt({ id, state: 'deleting' }),
  doubt({ id, success: true, dry_run: true }),
  doubt({ id, notice: 'cannot delete: has deals' }),
  gone({ id, deleted: true, warnings: ['two deals have no contact now'] }),
  gone({ ...ADA, status: 'rejected' }),
  gone({ result: true, time: { start: 1 } }),
  gone({ request_id: 'r1' }),
]

export const WRITE_COMPLAINTS: readonly CommandShape[] = [
  ...single('create', ['--set', 'name=Ada', '--set', 'email=ada@example.com', '-o', 'id'], CREATES),
  ...single('update', [id, '--set', 'name=Ada', '-o', 'id'], UPDATES),
  ...single('delete', [id, '--yes'], DELETES),
]
