/** The members that the kept records have, where the server shows only what it is asked for. */
export interface Asked {
  /** Beside those that the fields of crm need; undefined for a server that shows every member. */
  readonly asked?: readonly string[]
  /** Of a job that deletes: members that the kept records lack, so that no undo restores them. */
  readonly unasked?: readonly string[] | 'unknown'
}

const MOST_NAMED = 5

/** The members that kept records lack. */
export function unaskedText(unasked: Asked['unasked'] = []): string {
  if (unasked === 'unknown')
    return 'members that crm has no field for, which this server shows only by name and does not list'
  const more = unasked.length > MOST_NAMED ? `, and ${unasked.length - MOST_NAMED} more` : ''
  return `members for whose names an address has no room: ${unasked.slice(0, MOST_NAMED).join(', ')}${more}`
}
