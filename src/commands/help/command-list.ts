import type { Command, Option } from 'commander'
import { EXIT } from '../../core/exit.ts'
import { commandPath } from '../flags.ts'
import { OUTPUT_NAMES } from '../schema/outputs.ts'
import { EXIT_CODES_TOPIC } from './topic-texts.ts'

/** `crm help [COMMAND] --json`: all that a program needs to write command lines, below `command`. Schemas by `crm schema NAME`. */
export function commandList(command: Command): string {
  const globals = new Set(rootOf(command).options.flatMap(({ hidden, long }) => (hidden ? [] : [long])))
  const list = {
    name: commandPath(command),
    global_flags: rootOf(command)
      .options.filter(({ hidden }) => !hidden)
      .map(flagOf),
    commands: leavesBelow(command).map((leaf) => commandOf(leaf, globals)),
    exit_codes: EXIT_CODES_TOPIC.parts
      .flatMap((part) => (typeof part === 'string' ? [] : part.rows))
      .map(([code, meaning]) => ({ code: Number(code), name: nameOf(Number(code)), meaning })),
    schemas: OUTPUT_NAMES,
  }
  return `${JSON.stringify(list, undefined, 2)}\n`
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

/** Those that do something themselves. */
function leavesBelow(command: Command): readonly Command[] {
  const isLeaf =
    command.parent !== null &&
    (command.commands.length === 0 || command.options.some(({ helpGroupHeading }) => !helpGroupHeading))
  return [...(isLeaf ? [command] : []), ...command.commands.flatMap((child) => leavesBelow(child as Command))]
}

function commandOf(command: Command, globals: ReadonlySet<string | undefined>) {
  const name = commandPath(command)
  const schema = name.replace(/^crm /, '')
  return {
    name,
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      is_required: argument.required,
      is_list: argument.variadic,
      ...(argument.description && { description: argument.description }),
    })),
    flags: command.options.filter(({ hidden, long }) => !hidden && !globals.has(long)).map(flagOf),
    schema: OUTPUT_NAMES.includes(schema) ? schema : null,
  }
}

function flagOf({ flags, description, argChoices, defaultValue, mandatory, required }: Option) {
  return {
    flags,
    description,
    takes_value: required,
    is_required: mandatory,
    ...(argChoices && { choices: argChoices }),
    ...(['string', 'number', 'boolean'].includes(typeof defaultValue) && { default: defaultValue }),
  }
}

function nameOf(code: number): string | undefined {
  return Object.entries(EXIT).find(([, each]) => each === code)?.[0]
}
