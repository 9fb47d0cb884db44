import type { JsonObject } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'

/** One thing asked of the server, which may take several tries. */
export interface Call {
  readonly method: Method
  /** From `/v1` on, encoded: see path.ts. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** In place of both, as a server gave it: path and query from the origin on, encoded. */
  readonly address?: string
  readonly body?: JsonObject
  /** In place of `body`, sent unchanged. */
  readonly bytes?: Buffer
  /** Names and values in turn; in place of ours that have the same name. */
  readonly headers?: readonly string[]
  /** A POST that changes nothing: it needs no idempotency key, and no failure leaves it in doubt. */
  readonly isRead?: true
  /** A POST that can be repeated without a second effect. */
  readonly isRepeatable?: true
  /** For hints: the command line that shows the created record. */
  readonly lookCommand?: string
  /** Asked to find out: what answers with an outage is not asked again. */
  readonly isProbe?: true
  /** The answer may be of any type, and its bytes are kept. */
  readonly isAnyTypeTaken?: true
  readonly idempotencyKey?: string | undefined
  readonly ifMatch?: string | undefined
  readonly isIdNeeded?: boolean | undefined
  /** Ends this call, beside the signal of the client, which ends all. */
  readonly signal?: AbortSignal | undefined
  /** A try that was sent is not aborted when the client ends; the next one is not begun. */
  readonly isLetFinish?: boolean | undefined
  /** For messages, after "cannot": `update contact con_1`. */
  readonly action: string
  /** For hints: the command line that does this. */
  readonly command: string
  /** For hints: the command line that finds what the ids in the path name; undefined when there are none in it. */
  readonly findCommand: string | undefined
  /** For hints: the command line that shows the current record, if there is one. */
  readonly showCommand?: string
}

/** How the message of every error about a call begins; ids in it may hold anything. */
export function cannot(call: Pick<Call, 'action'>): string {
  return `cannot ${oneLine(call.action, 200)}`
}

export function isWrite({ method, isRead }: Pick<Call, 'method' | 'isRead'>): boolean {
  return method !== 'GET' && method !== 'HEAD' && !isRead
}

/** Whether each repetition makes another record, unless the server keeps its key. */
export function makesAnother({ method, isRead, isRepeatable }: Call): boolean {
  return method === 'POST' && !isRead && !isRepeatable
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
