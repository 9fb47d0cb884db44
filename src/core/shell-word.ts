/** Quotes a word for a POSIX shell, so that a hint can be pasted for any path. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
