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
  const tree = describeTree(commandTree(), 'crm')
  await expect(`${tree.join('\n')}\n`).toMatchFileSnapshot('command-tree.txt')
})

test('a command line that begins with a noun is read with the commands of that noun alone, and they are the same', () => {
  const all = commandTree().commands as readonly Command[]
  for (const noun of all) {
    const [only, ...others] = commandTree(noun.name()).commands as readonly Command[]
    expect(others).toEqual([])
    expect(only && describeTree(only, only.name())).toEqual(describeTree(noun, noun.name()))
  }
})
