import { type Command, InvalidArgumentError } from 'commander'
import { CrmError } from '../../core/errors.ts'
import type { WithFlags } from '../global-flags.ts'

export const DEFAULT_NAME = 'default'

export interface NameFlag {
  readonly name?: string
}

export function addNameFlag(command: object): void {
  ;(command as Command).option('--name <name>', `tells sandboxes apart (default: ${DEFAULT_NAME})`, parseName)
}

/** It becomes the name of a file. */
function parseName(text: string): string {
  if (/^[\w-][\w.-]{0,63}$/.test(text)) return text
  throw new InvalidArgumentError('Expected up to 64 letters, digits, dots, dashes and underscores.')
}

/** ` --name NAME`, unless it is the default one. */
export function nameWords(name: string): string {
  return name === DEFAULT_NAME ? '' : ` --name ${name}`
}

/** CrmError `usage` for -p: a sandbox is a server of its own, which no profile names. */
export function refuseProfile({ flags: { profile } }: WithFlags<'profile'>): void {
  if (profile === undefined) return
  throw new CrmError('usage', `-p ${profile} has no effect on a sandbox, which is a server of its own`, {
    hint: 'leave out -p; to tell sandboxes apart: --name NAME',
  })
}
