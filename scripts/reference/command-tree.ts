import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { readGlobalFlags } from '../../src/commands/flags.ts'
import { buildProgram } from '../../src/program.ts'

const io = { stdin: (async function* () {})(), stdout: { write: () => true }, stderr: { write: () => true } }
const host = { io, env: {}, now: Date.now, signal: new AbortController().signal, version: '0.0.0', argv: [] }

/** The tree of commands, or what `firstWord` needs of it; a command that is run does no more than check what was typed. */
export function commandTree(firstWord?: string): Command {
  return buildProgram(
    host,
    () =>
      async (...args) =>
        void readGlobalFlags(args.at(-1) as unknown as Command),
    firstWord,
  )
}

export interface Leaf {
  /** `contacts list` */
  readonly name: string
  readonly command: Command
}

/** A command and all below it that do something. */
export function leavesOf(command: Command, path: readonly string[] = []): readonly Leaf[] {
  const isLeaf = path.length > 0 && (command.commands.length === 0 || command.options.length > 0)
  const below = command.commands.flatMap((child) => leavesOf(child as Command, [...path, child.name()]))
  return [...(isLeaf ? [{ name: path.join(' '), command }] : []), ...below]
}

export interface TextBelow {
  readonly examples: readonly string[]
  /** What else is to be said, a paragraph each. */
  readonly notes: readonly string[]
}

/** What the help of a command ends with. */
export function textBelow(command: Command): TextBelow {
  let text = ''
  const context = { error: false, command, write: (piece: string) => (text += piece) }
  // Commander's own types leave out that a command is an emitter, which is how it adds this text itself.
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
