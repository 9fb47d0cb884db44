import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { readGlobalFlags } from '../../src/commands/flags.ts'
import { buildProgram } from '../../src/program.ts'

const io = { stdin: (async function* () {})(), stdout: { write: () => true }, stderr: { write: () => true } }
const host = { io, env: {}, now: Date.now, signal: new AbortController().signal, version: '0.0.0', argv: [] }

/** The tree of commands, or the part that `words` need; running a command only checks its arguments. */
export function commandTree(words?: readonly string[]): Promise<Command> {
  return buildProgram(
    host,
    () =>
      async (...args) =>
        void readGlobalFlags(args.at(-1) as unknown as Command),
    words,
  )
}

export interface Leaf {
  /** `contacts list` */
  readonly name: string
  readonly command: Command
}

/** A command and all commands below it that can be run. */
export function leavesOf(command: Command, path: readonly string[] = []): readonly Leaf[] {
  const isLeaf = path.length > 0 && (command.commands.length === 0 || command.options.length > 0)
  const below = command.commands.flatMap((child) => leavesOf(child as Command, [...path, child.name()]))
  return [...(isLeaf ? [{ name: path.join(' '), command }] : []), ...below]
}

export interface TextBelow {
  readonly examples: readonly string[]
  /** The other paragraphs. */
  readonly notes: readonly string[]
}

/** The text after the help of a command. */
export function textBelow(command: Command): TextBelow {
  let text = ''
  const context = { error: false, command, write: (piece: string) => (text += piece) }
  // Commander adds this text through events; its types omit that a command is an emitter.
  ;(command as Command & EventEmitter).emit('afterHelp', context)
  const paragraphs = text.trim().split(/\n\s*\n/)
  const isExamples = (paragraph: string) => paragraph.startsWith('Examples:\n')
  return {
    examples: paragraphs
      .filter(isExamples)
      .flatMap((paragraph) => [...paragraph.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line)),
    notes: paragraphs.filter((paragraph) => paragraph !== '' && !isExamples(paragraph)),
  }
}
