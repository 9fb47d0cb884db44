import { hash } from 'node:crypto'
import { normalize } from 'node:path'
import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { InputStream } from '../../core/streams.ts'
import type { JobNoun } from './plan-format.ts'

const RUN_CHARS = 22

/** What planning needs. */
export interface PlanningContext {
  /** The folder of existing jobs; in a dry run it may not exist. */
  readonly jobsFolder: string
  /** The folder in which a new job is made. */
  readonly draftsFolder: string
  readonly account: string
  readonly stdin: () => InputStream
  readonly signal: AbortSignal
  readonly version: string
  /** The words after `crm`. */
  readonly command: readonly string[]
  /** All records, a page at a time. */
  readonly list: (noun: JobNoun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Records on a page of a list, if it is configured. */
  readonly pageSize: number | undefined
  /** How the server changes deals; CrmError `not_supported` if it cannot. */
  readonly dealUpdates: () => Promise<DealUpdates>
  /** Called with the number of further records read from the list. */
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
  readonly noun: JobNoun
  /** Flags that change the operation of a row. */
  readonly mapping: readonly (readonly [flag: string, value: string | readonly string[] | undefined])[]
  /** As typed. */
  readonly inputName: string
}

/**
 * The id of a run: the same command with the same file is the same run, also on another machine, so that its rows have the
 * same keys. Input from stdin has no name, so it needs one.
 */
export function runId({ account, kind, noun, mapping, inputName }: RunParts): string {
  if (inputName === '-') {
    throw new CrmError('usage', 'input from stdin needs a name, by which a second run finds the first one', {
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
