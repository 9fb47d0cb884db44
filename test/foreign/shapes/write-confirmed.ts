import type { CommandShape } from '../shape.ts'
import { done, doubt, gone } from './write-not-done.ts'
import { ADA, serving, single, type WriteShape } from './write-shape.ts'

const { id } = ADA
const AS_IT_WAS = { ...ADA, name: 'Old' }

const RECORDS: readonly object[] = [
  { contacts: [ADA] },
  { doc: ADA },
  { update_contacts_by_pk: ADA },
  { data: { updateContact: ADA } },
  { data: { update_contacts: { affected_rows: 1, returning: [ADA] } } },
]

const CONFIRMATIONS: readonly object[] = [
  { affected_rows: 1 },
  { generatedMaps: [], raw: [], affected: 1 },
  { acknowledged: true, matchedCount: 1, modifiedCount: 1, upsertedId: null },
  { data: { update_contacts: { affected_rows: 1 } } },
  { result: true },
  { success: true },
  { success: true, message: 'Contact updated' },
  { status: 'success' },
  { updated: true },
  { message: 'Contact updated successfully' },
]

const UPDATES: readonly WriteShape[] = [
  ...[...RECORDS, ...CONFIRMATIONS].map((json) => done(json)),
  doubt({ contacts: [{ ...ADA, id: 'other' }] }),
  doubt({ affected_rows: 0 }),
  doubt({ affected_rows: 5 }),
  doubt({ affected: 1, status: 'pending' }),
  doubt({ matchedCount: 1, modifiedCount: 0 }),
  doubt({ success: true, data: null }),
  doubt({ success: true, message: 'No changes' }),
  doubt({ success: true, message: 'Update queued' }),
  doubt({ success: true, type: 'job' }),
  doubt({ status: 'deleted' }),
  doubt({ message: 'Contact updated' }),
  doubt({ message: 'Contacts can only be updated successfully by admins' }),
  doubt({ updated: false }),
]

const DELETES: readonly WriteShape[] = [
  ...RECORDS.map(gone),
  gone({ delete_contacts_by_pk: { id } }),
  gone({ data: { delete_contacts: { affected_rows: 1 } } }),
  gone({ affected: 1 }),
  gone({ result: true }),
  gone({ message: 'Contact deleted successfully' }),
  gone({ success: true, message: 'Note deleted' }),
  doubt({ data: { delete_contacts: { affected_rows: 0 } } }),
  doubt({ success: true, result: 'not_found' }),
  doubt({ success: true, deleted: [] }),
  doubt({ message: 'Contact deleted' }),
  doubt({ message: 'Contact was not deleted successfully' }),
  doubt({ message: 'Contact will be deleted successfully' }),
  doubt({ message: 'Deletion unsuccessful: removed by another' }),
]

export const WRITES_CONFIRMED: readonly CommandShape[] = [
  ...single('update', [id, '--set', 'name=Ada', '-o', 'id'], UPDATES),
  ...single('delete', [id, '--yes'], DELETES),
  ...CONFIRMATIONS.map(
    (json): CommandShape => ({
      name: `an update of many answered with ${JSON.stringify(json)}`,
      argv: ['contacts', 'update', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
      stdin: `id,name\n${id},Ada\n`,
      answer: serving({ json }, [AS_IT_WAS]),
      right: { exit: 0, writes: 1 },
    }),
  ),
]
