import type { JsonObject } from '../../src/core/json.ts'

/** A request as a server of this kind reads it. */
export interface Asked {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly origin: string
  readonly body: string
  /** Counted from 1, over all requests of one command. */
  readonly nth: number
}

export interface Answered {
  /** 200 unless it says otherwise. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An empty body where there is none. */
  readonly json?: unknown
  /** In place of it, as it is. */
  readonly text?: string
}

/** How one server answers `GET /v1/contacts`, and what crm may make of it. */
export interface ListShape {
  readonly name: string
  /** So many contacts are there: con_1 and so on, in this order. */
  readonly holds: number
  readonly answer: (asked: Asked, contacts: readonly JsonObject[]) => Answered
  /** What a description of this server can give at best: all records, or a refusal. */
  readonly right: 'complete' | 'refused'
}

/** One command, what the server accepts it, and how it ends. */
export interface CommandShape {
  readonly name: string
  readonly argv: readonly string[]
  readonly stdin?: string
  readonly answer: (asked: Asked) => Answered
  /** Lines of the connector, beside those of the one that it extends. */
  readonly connector?: string
  readonly right: {
    readonly exit: number
    readonly stdout?: string | RegExp
    readonly stderr?: string | RegExp
    /** So many requests with a method other than GET, GraphQL left out. */
    readonly writes?: number
  }
}
