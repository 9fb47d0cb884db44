import { type Command, InvalidArgumentError } from 'commander'

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
