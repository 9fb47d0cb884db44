/** A word as a POSIX shell needs it, so that a hint can be pasted whatever the path holds. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
