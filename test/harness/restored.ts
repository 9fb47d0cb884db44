const NEW_IN_A_RESTORED_RECORD = ['id', 'created_at', 'updated_at', 'version']

/** What an undo gives back, as texts in an order that does not depend on ids and times. */
export function restoredMembers(records: readonly Record<string, unknown>[]): string[] {
  const membersOf = (record: Record<string, unknown>) =>
    Object.entries(record).filter(([name]) => !NEW_IN_A_RESTORED_RECORD.includes(name))
  return records.map((record) => JSON.stringify(membersOf(record).toSorted())).toSorted()
}
