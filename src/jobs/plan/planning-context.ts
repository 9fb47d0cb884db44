import { hash } from 'node:crypto'
import { normalize } from 'node:path'
import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { InputStream } from '../../core/streams.ts'
import type { Noun } from './plan-head.ts'

const RUN_CHARS = 22

/** What planning needs. */
export interface PlanningContext {
  /** Of the jobs that were made before; it may be absent where nothing is to be kept. */
  readonly jobsFolder: string
  /** Where a new one is made. */
  readonly draftsFolder: string
  readonly account: string
  readonly stdin: () => InputStream
  readonly signal: AbortSignal
  readonly version: string
  /** The words behind `crm`. */
  readonly command: readonly string[]
  /** All records, a page at a time. */
  readonly list: (noun: Noun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Records on a page of a list, when it is set. */
  readonly pageSize: number | undefined
  /** How the server changes deals; CrmError `not_supported` where it does not. */
  readonly dealUpdates: () => Promise<DealUpdates>
  /** So many more records of the list were read. */
  readonly onRead: (count: number) => void
  readonly nowMs: () => number
  /** Ends early, with an error, when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
  /** A line for people. */
  readonly note: (line: string) => void
}

interface RunParts {
  readonly account: string
  readonly kind: string
  readonly noun: Noun
  /** Flags that change what a row comes to. */
  readonly mapping: readonly (readonly [flag: string, value: string | readonly string[] | undefined])[]
  /** As it was typed. */
  readonly inputName: string
}

/**
 * What tells one run from another: the same command with the same file is the same run, on another machine too, so that
 * its rows have the same keys. What stdin holds has no name, so it needs one.
 */
export function runId({ account, kind, noun, mapping, inputName }: RunParts): string {
  if (inputName === '-') {
    throw new CrmError('usage', 'what comes on stdin needs a name, or a second run would not know the first one', {
      hint: 'add --run-id NAME, and the same one when you run it again',
    })
  }
  const parts = JSON.stringify([
    account,
    kind,
    noun,
    mapping.filter(([, value]) => value !== undefined),
    normalize(inputName),
  ])
  return hash('sha256', parts, 'base64url').slice(0, RUN_CHARS)
}
