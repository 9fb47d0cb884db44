/** One line of the log, with members for programs; never a key, a secret, a body or a query. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: 'request' | 'failure' | 'note' | 'delivery_failed' | 'webhook_disabled'
  readonly [member: string]: string | number | undefined
}

export type Log = (entry: LogEntry) => void
