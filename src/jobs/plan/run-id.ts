import { hash } from 'node:crypto'
import { normalize } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { Noun } from './plan-head.ts'

const RUN_CHARS = 22

export interface RunParts {
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
