import type { JsonObject, JsonValue } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import type { ReadCall, Records } from './calls.ts'
import type { Resources } from './resources.ts'

// What programs see of the client. Nothing of its parts: their types need packages that a program does not have.

export interface ClientOptions {
  /**
   * Where the CRM is, such as `https://crm.example.com`; the key goes to this origin and to no other. May be left out with a connector
   * that states it.
   */
  readonly baseUrl?: string | undefined
  /** Undefined is refused like an empty string, because an environment variable may be unset: CrmError `invalid_input`. */
  readonly apiKey?: string | undefined
  /**
   * In place of a key: called for the token of each request, and after a refusal with the refused token, to get another one. An error
   * that it throws ends the call. It is called often, so cache the token.
   */
  readonly accessToken?: ((refused?: string) => Promise<string>) | undefined
  /** The name of a shipped connector, such as `hubspot`, or the path of a connector file; undefined: `crm`, that of `crm serve`. */
  readonly connector?: string | undefined
  /** The variables of the connector. */
  readonly connectorVariables?: Readonly<Record<string, string>>
  /** Longest life of one request; 30 seconds unless given. */
  readonly timeoutMs?: number
  /** Longest time one call spends waiting for rate limits and outages; 60 seconds unless given. */
  readonly maxWaitMs?: number
  /** Ends every request and every wait; each call takes one of its own as well. */
  readonly signal?: AbortSignal
  /** The most records requested per page of a list, 1 to 1000; undefined: as many as the connector says. */
  readonly pageSize?: number | undefined
  /** Accept plain http beyond this machine, where anyone on the way can read the key. */
  readonly allowInsecureHttp?: boolean | undefined
  /** Called for waits of a second or more. */
  readonly onWait?: (waitMs: number, reason: string) => void
  /** Such as `process.env`: proxies, certificates and the folder of jobs are taken from it. Undefined: none, and the default folder. */
  readonly env?: Env
}

export interface GraphqlCall extends ReadCall {
  readonly variables?: JsonObject
  /** If the document has several operations. */
  readonly operationName?: string | undefined
  /** Of a mutation; undefined: a new key for this call and its retries. */
  readonly idempotencyKey?: string | undefined
}

/** The data of the answer. CrmError for an answer with errors, whatever its status; `details.fields` names members. */
export type Graphql = <Data = JsonObject>(query: string, options?: GraphqlCall) => Promise<Data>

export type RequestMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RequestCall extends ReadCall {
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** Sent as JSON; bytes are sent unchanged, and need a `content-type` in `headers` unless they are JSON. */
  readonly body?: JsonValue | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Undefined: a POST or PATCH gets a new key, which its retries keep. */
  readonly idempotencyKey?: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Undefined if it is empty, or is not JSON: then `text` has it. */
  readonly json: JsonValue | undefined
  readonly text: string
}

/** Any request to the server of the client, and to no other. CrmError for a status that is not 2xx. */
export type Request = (method: RequestMethod, path: string, options?: RequestCall) => Promise<Answer>

export type ImportNoun = 'contacts' | 'deals' | 'notes'

export interface SendCall extends ReadCall {
  /** Send so many requests at a time instead of adapting. */
  readonly concurrency?: number
  /** The part of the rate that the server allows, above 0 and at most 1; 0.8 unless given. */
  readonly rateShare?: number
  /** Stop after so many failed rows. */
  readonly maxErrors?: number
  /** Called after each row. */
  readonly onProgress?: (counts: { readonly done: number; readonly failed: number; readonly total: number }) => void
}

export interface ImportCall extends SendCall {
  /** A name of yours for these rows. The same rows under the same name are one job: it goes on where it stopped, and is done once. */
  readonly runId: string
  /** A record with the same values in these members is changed; without it, every row is a new record. */
  readonly match?: string | readonly string[]
  /** With `match`: `upsert`, unless given, or `update`, which creates no records. */
  readonly mode?: 'upsert' | 'update'
}

/** What became of the rows. */
export interface ImportedRows {
  /** For `crm jobs show`, `jobs.failures` and `jobs.resume`. */
  readonly job: string
  readonly rows: number
  readonly done: number
  readonly unchanged: number
  readonly skipped: number
}

/** A row that was not done. */
export interface RowFailure {
  /** Of the row in the input, from 1. */
  readonly line: number | null
  /** Of the record, if the row has one. */
  readonly id: string | null
  readonly state: 'failed' | 'in_doubt'
  readonly code: string
  readonly field: string | null
  readonly reason: string
}

/** Bulk work, kept on disk: `crm jobs` shows and resumes the same jobs. */
export interface JobMethods {
  importRows(
    noun: ImportNoun,
    rows: Iterable<JsonObject> | AsyncIterable<JsonObject>,
    options: ImportCall,
  ): Promise<ImportedRows>
  /** By id, or by a suffix of it. */
  resume(job: string, options?: SendCall): Promise<ImportedRows>
  /** In the order of the rows. */
  failures(job: string): AsyncIterable<RowFailure>
}

/** Every method throws a CrmError for what a server or a network does wrong; its `code` says which. */
export interface Client extends Resources, AsyncDisposable {
  /** The records of any object of the server by its noun, those of its users included: CrmError `not_found` if it has none. */
  records<Members extends object = Record<string, unknown>>(noun: string): Records<Members>
  readonly graphql: Graphql
  readonly request: Request
  readonly jobs: JobMethods
  /** Ends idle connections, so that the process can end. */
  close(): Promise<void>
}
