/** One line of the log, with members for programs; never a key, a secret, a body or a query. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: 'request' | 'failure' | 'note' | 'delivery_failed' | 'webhook_disabled'
  readonly [member: string]: string | number | boolean | undefined
}

/** With what caused it, which a CrmError for a database keeps apart: the message of PostgreSQL or SQLite. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.stack ?? error.message
  return error.cause instanceof Error ? `${text}\nCaused by: ${causeText(error.cause)}` : text
}

function causeText(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${causeText(error.cause)}` : error.message
}

export type Log = (entry: LogEntry) => void
