import type { JsonObject } from '../core/json.ts'
import { oneLine } from './one-line.ts'

/** One thing asked of the server, which may take several tries. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From `/v1` on, encoded: see path.ts. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** In place of both, as a server gave it: path and query from the origin on, encoded. */
  readonly address?: string
  readonly body?: JsonObject
  readonly idempotencyKey?: string | undefined
  readonly ifMatch?: string | undefined
  /** Ends this call, beside the signal of the client, which ends all. */
  readonly signal?: AbortSignal | undefined
  /** For messages, after "cannot": `update contact con_1`. */
  readonly action: string
  /** For hints: the command line that does this. */
  readonly command: string
  /** For hints: the command line that finds what the ids in the path name; undefined when there are none in it. */
  readonly findCommand: string | undefined
  /** For hints: the command line that shows the record as it is now, where there is one. */
  readonly showCommand?: string
}

/** How the message of every error about a call begins; ids in it may hold anything. */
export function cannot(call: Pick<Call, 'action'>): string {
  return `cannot ${oneLine(call.action, 200)}`
}

export function isWrite(call: Pick<Call, 'method'>): boolean {
  return call.method !== 'GET'
}
