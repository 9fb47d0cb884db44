/** Whether a name of a database is the URI of one of PostgreSQL, as libpq reads it. */
export function isPostgresUri(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text)
}

/** Whether the URI itself has a password. */
export function hasPassword(uri: string): boolean {
  return /^[a-z]+:\/\/[^/@?]*:[^/?]*@/i.test(uri) || /[?&]password=/i.test(uri)
}

/** The URI for messages. */
export function withoutPassword(uri: string): string {
  const rest = uri.replace(/^([a-z]+:\/\/[^:@/?]*):[^/?]*@/i, '$1@').replace(/([?&])password=[^&]*&?/gi, '$1')
  return rest.replace(/[?&]$/, '')
}

/** For a URI that cannot be read, where a password may stand anywhere before the last @, and where the port should be. */
export function withoutSecrets(uri: string): string {
  return withoutPassword(uri)
    .replace(/^([a-z]+:\/\/).*@/is, '$1…@')
    .replace(/^([a-z]+:\/\/(?:…@)?[^/?:]*):(?!\d{0,5}(?:[/?]|$))[^/?]*/i, '$1:…')
}
