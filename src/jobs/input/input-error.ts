import { CrmError } from '../../core/errors.ts'

export interface Place {
  /** From 1. */
  readonly line: number
  /** In bytes, from 0, in the input as it was given. */
  readonly offset: number
}

export interface InputFault extends Place {
  /** As the person named the input. */
  readonly name: string
  /** In lower case: what was found, and what was expected. */
  readonly what: string
  readonly hint: string
  readonly cause?: unknown
}

/** What makes the rest of an input unreadable. Nothing is guessed: it says where, and what to change. */
export function inputError({ name, line, offset, what, hint, cause }: InputFault): CrmError {
  return new CrmError('invalid_input', `${inputName(name)}, line ${line}, byte ${offset}: ${what}`, { hint, cause })
}

export function inputName(name: string): string {
  return name === '-' ? 'stdin' : name
}
