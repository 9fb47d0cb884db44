import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../context.ts'
import type { ApiOperation } from '../core/resources/field.ts'
import { hasOperation, type ListedResource, type OpenResource, type Resource } from '../core/resources/registry.ts'

/** Adds one command; `words`: what follows its name on the command line. */
export type AddCommand = (parent: CommandUnknownOpts, act: Act, words: readonly string[]) => void

/** A command that only groups others. */
export interface CommandGroup {
  readonly description?: string
  /** For the list of commands alone. */
  readonly summary?: string
  readonly commands: Commands
}

/** By their names, in the order in which help shows them. */
export type Commands = Readonly<Record<string, AddCommand | CommandGroup>>

/**
 * Adds the commands; only the one that `words` begin with, if there is such a one: the other words are about no other command,
 * and the whole tree takes longer to build than a request takes.
 */
export function addCommands(parent: CommandUnknownOpts, act: Act, commands: Commands, words: readonly string[]): void {
  const [word = '', ...rest] = words
  const isNamed = Object.hasOwn(commands, word)
  for (const [name, command] of Object.entries(commands)) {
    if (isNamed && name !== word) continue
    const below = isNamed ? rest : []
    if (typeof command === 'function') command(parent, act, below)
    else addNoun(parent.command(name), act, command, below)
  }
}

function addNoun(
  noun: CommandUnknownOpts,
  act: Act,
  { summary, description, commands }: CommandGroup,
  words: readonly string[],
) {
  if (summary !== undefined) noun.summary(summary)
  if (description !== undefined) noun.description(description)
  // For commands that pass flags through to another program.
  addCommands(noun.enablePositionalOptions(), act, commands, words)
}

/** The examples at the end of a help text. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}

/** The parts of a command that depend on the resource. */
export interface RecordCommand<R extends ListedResource = ListedResource> {
  readonly resource: R
  /** Command lines, for help. */
  readonly examples: readonly string[]
}

/** In descriptions of commands: whether every server has the operation. */
export function whereOffered(resource: Resource, operation: ApiOperation): string {
  return hasOperation(resource, operation) ? '' : ', where the server offers it'
}

export type OpenRecordCommand = RecordCommand<OpenResource>
