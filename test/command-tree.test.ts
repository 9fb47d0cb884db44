import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandTree } from '../scripts/reference/command-tree.ts'

/** Names, arguments and flags: what scripts rely on, and what a review should see change. */
function describeTree(command: Command, path: string): string[] {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  const flags = command.options.filter((option) => !option.hidden).map((option) => `  ${option.flags}`)
  const children = command.commands.flatMap((child) => describeTree(child as Command, `${path} ${child.name()}`))
  return [[path, ...words].join(' '), ...flags.sort(), ...children]
}

test('the command tree is the one that was reviewed; a change of it that is meant comes with vitest -u', async () => {
  const tree = describeTree(await commandTree(), 'crm')
  await expect(`${tree.join('\n')}\n`).toMatchFileSnapshot('command-tree.txt')
})

function childrenOf(command: Command): readonly Command[] {
  return command.commands as readonly Command[]
}

/** The commands at the end of `words` and beside those on the way there. */
function commandsOn(words: readonly string[], tree: Command): readonly string[] {
  const [word, ...rest] = words
  const names = childrenOf(tree).map((child) => child.name())
  const next = childrenOf(tree).find((child) => child.name() === word)
  return [...names, ...(next ? commandsOn(rest, next) : [])]
}

function pathsBelow(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  return childrenOf(command).flatMap((child) => {
    const own = [...path, child.name()]
    return [own, ...pathsBelow(child, own)]
  })
}

function commandAt(tree: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => childrenOf(command).find((child) => child.name() === word) ?? command, tree)
}

test('a command line that names a command is read with that command alone, and it is the same one', async () => {
  const all = await commandTree()
  for (const path of pathsBelow(all)) {
    const one = await commandTree([...path, '--limit', '1'])
    const below = childrenOf(commandAt(all, path)).map((child) => child.name())
    expect(commandsOn(path, one), path.join(' ')).toEqual([...path, ...below])
    expect(describeTree(commandAt(one, path), '')).toEqual(describeTree(commandAt(all, path), ''))
  }
})

test.each([[], ['contcts'], ['help', 'contacts'], ['--no-input', 'contacts', 'list']])(
  'a command line that does not begin with a command is read with all of them: %j',
  async (...words) => {
    expect(describeTree(await commandTree(words), 'crm')).toEqual(describeTree(await commandTree(), 'crm'))
  },
)

test.each(['lst', '--help', 'constructor', 'con_1'])(
  'crm contacts %s is read with all commands of contacts',
  async (word) => {
    expect(commandsOn(['contacts'], await commandTree(['contacts', word]))).toEqual(
      commandsOn(['contacts'], await commandTree(['contacts'])),
    )
    expect(commandsOn(['contacts'], await commandTree(['contacts']))).toHaveLength(12)
  },
)
