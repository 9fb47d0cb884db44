import { type Argument, Command, type Option } from 'commander'
import { addGlobalFlags } from '../src/commands/flags.ts'
import { valueWordsAt } from '../src/completion/value-at.ts'
import type { CommandWords, FlagWords, ValueWords, Vocabulary } from '../src/completion/words.ts'
import { buildProgram } from '../src/program.ts'

const HELP: CommandWords = {
  about: 'show help for a command',
  flags: [],
  values: [],
  isLastRepeated: false,
  commands: {},
}

/** Reads every word of the command line from the command tree of the sources. */
export async function readVocabulary(): Promise<Vocabulary> {
  const silent = { write: () => true }
  const io = { stdin: (async function* () {})(), stdout: silent, stderr: silent }
  const host = { io, env: {}, now: Date.now, signal: new AbortController().signal, version: '0.0.0', argv: [] }
  const root = wordsOf(await buildProgram(host, () => async () => {}), [])
  const globals = new Command()
  addGlobalFlags(globals)
  // A hidden flag of the root is a flag of some commands.
  return { root: { ...root, commands: { ...root.commands, help: HELP } }, globals: shownFlags(globals, []) }
}

function wordsOf(command: Command, path: readonly string[]): CommandWords {
  const children = command.commands as readonly Command[]
  return {
    about: command.summary() || command.description(),
    flags: shownFlags(command, path),
    values: command.registeredArguments.map((argument) => ofArgument(argument, path)),
    isLastRepeated: command.registeredArguments.at(-1)?.variadic === true,
    commands: Object.fromEntries(children.map((child) => [child.name(), wordsOf(child, [...path, child.name()])])),
  }
}

function shownFlags(command: Command, path: readonly string[]): FlagWords[] {
  return command.options.filter(({ hidden }) => !hidden).map((option) => ofOption(option, path))
}

function ofOption(option: Option, path: readonly string[]): FlagWords {
  const { short, long, description: about, argChoices } = option
  const names = [short, long].filter((name) => name !== undefined)
  const [, placeholder] = /[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(option.flags) ?? []
  if (placeholder === undefined) return { names, about }
  return { names, about, value: argChoices ?? valueWordsAt({ path, flag: long, placeholder }) }
}

function ofArgument(argument: Argument, path: readonly string[]): ValueWords {
  return argument.argChoices ?? valueWordsAt({ path, flag: undefined, placeholder: argument.name() })
}
