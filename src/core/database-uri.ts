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
  return uri.replace(/^([a-z]+:\/\/[^:@/?]*):[^/?]*@/i, '$1@').replace(/([?&])password=[^&]*&?/gi, '$1')
}
