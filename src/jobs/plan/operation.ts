import type { Buffer } from 'node:buffer'

export const OPERATION_KINDS = ['create', 'update', 'delete'] as const

export type OperationKind = (typeof OPERATION_KINDS)[number]

export const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const satisfies Record<
  OperationKind,
  string
>

/** Why a row fails without a request. */
export interface KnownFailure {
  readonly code: 'ambiguous_match'
  readonly field: string
  readonly reason: string
}

/** The operation of one row, without its body. docs/job-format.md describes each member. */
export interface OperationHead {
  /** `fail` is never sent; it ends with the failure in `failed`. */
  readonly do: OperationKind | 'fail'
  readonly path: string
  /** Of the record that is changed or deleted. */
  readonly id?: string
  readonly line?: number
  /** Byte offset and length of the row in the input. */
  readonly at?: readonly [number, number]
  readonly digest: string
  readonly n: number
  /** The first generation; absent: 0. */
  readonly gen?: number
  /** When an earlier job of the run may have sent it first, by the server's clock. */
  readonly since?: number
  /** Whether the response to that request was a 2xx that does not show the record: it is never sent again. */
  readonly taken?: true
  readonly before?: string
  readonly ifMatch?: string
  readonly failed?: KnownFailure
}

/** An operation to be added to a plan. */
export interface NewOperation {
  readonly head: OperationHead
  /** Canonical JSON; undefined for what has no body. */
  readonly body: string | undefined
}

/** An operation read from a plan. */
export interface Operation {
  /** From 0, without gaps. */
  readonly op: number
  /** Byte offset of its line in the plan. */
  readonly offset: number
  readonly head: OperationHead
  readonly body: Buffer | null
}

/** The kind of an operation to send. Throws an Error for `fail`, which is never sent. */
export function sentKind({ do: kind }: OperationHead): OperationKind {
  if (kind === 'fail') throw new Error('an operation that fails without a request was to be sent')
  return kind
}
