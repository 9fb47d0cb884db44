import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { readGlobalFlags } from '../src/commands/flags.ts'
import { buildProgram } from '../src/program.ts'

const io = { stdin: (async function* () {})(), stdout: { write: () => true }, stderr: { write: () => true } }
const host = { io, env: {}, now: Date.now, signal: new AbortController().signal, version: '0.0.0', argv: [] }

/** The tree of commands; those that are given nothing to do only check what is typed. */
export function commandTree(): Command {
  return buildProgram(
    host,
    () =>
      async (...args) =>
        void readGlobalFlags(args.at(-1) as unknown as Command),
  )
}

/** Why a command line is refused before anything is done; undefined when it is not. */
export async function refusal(argv: readonly string[]): Promise<string | undefined> {
  try {
    await commandTree().parseAsync(argv, { from: 'user' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export interface Leaf {
  /** `contacts list` */
  readonly name: string
  readonly command: Command
}

/** Every command that does something, those among them that have commands below. */
export function leavesOf(command: Command, path: readonly string[] = []): readonly Leaf[] {
  const own = path.length > 0 && (command.commands.length === 0 || command.options.length > 0)
  const below = command.commands.flatMap((child) => leavesOf(child as Command, [...path, child.name()]))
  return [...(own ? [{ name: path.join(' '), command }] : []), ...below]
}

/** What stands under the flags of a command: examples, and what else is to be said. */
export function textBelowHelp(command: Command): string {
  let text = ''
  const context = { error: false, command, write: (piece: string) => (text += piece) }
  // Commander's own types leave out that a command is an emitter, which is how it adds this text itself.
  ;(command as Command & EventEmitter).emit('afterHelp', context)
  return text
}
