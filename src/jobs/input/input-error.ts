import { CrmError } from '../../core/errors.ts'

/** The depth that expressions see; recursion over a value needs a bound. */
const MOST_LEVELS = 256

export const TOO_DEEP = `nested deeper than ${MOST_LEVELS} levels`

const TEXT_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{\]}]/gs

export interface InputPlace {
  /** From 1. */
  readonly line: number
  /** In bytes, from 0, in the undecoded input. */
  readonly offset: number
}

export interface InputFault extends InputPlace {
  /** The input as named on the command line. */
  readonly name: string
  /** In lower case: what was found, and what was expected. */
  readonly what: string
  readonly hint: string
  readonly cause?: unknown
}

/** An error that makes the rest of an input unreadable. It states the place and what to change. */
export function inputError({ name, line, offset, what, hint, cause }: InputFault): CrmError {
  return new CrmError('invalid_input', `${inputName(name)}, line ${line}, byte ${offset}: ${what}`, { hint, cause })
}

export function inputName(name: string): string {
  return name === '-' ? 'stdin' : name
}

export function isTooDeep(json: string): boolean {
  if (json.length <= MOST_LEVELS) return false
  let level = 0
  for (const [found] of json.matchAll(TEXT_OR_BRACKET)) {
    if (found === '[' || found === '{') level++
    else if (found === ']' || found === '}') level--
    if (level > MOST_LEVELS) return true
  }
  return false
}
