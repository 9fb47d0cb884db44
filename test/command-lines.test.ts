import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandTree, leavesOf, textBelow } from '../scripts/reference/command-tree.ts'
import { findHelpTopic } from '../src/commands/help/topics.ts'
import { readPages, typedLines } from './docs/pages.ts'
import { crmCommands } from './docs/shell-commands.ts'

const tree = await commandTree()

/** With `…` for what is left out and `|` for what stands beside it, a span is a command, not a command line. */
function nameIn(span: string): readonly string[] {
  return (/^crm ([^|[…<]*)/.exec(span)?.[1] ?? '').trim().split(' ')
}

/** The object of docs/service.md; a tree has its commands where a server has the object. */
const OWN = 'machines'

function unknownIn([first = '', ...rest]: readonly string[]): string | undefined {
  if (first === OWN) return undefined
  if (first === 'help') return findHelpTopic(rest[0] ?? '') ? undefined : unknownIn(rest)
  const words = [first, ...rest]
  let command: Command = tree
  for (const [index, word] of words.entries()) {
    if (word.startsWith('-')) break
    const child = command.commands.find((each) => each.name() === word)
    if (!child && index > 0 && command.registeredArguments.length > 0) break
    if (!child) return word
    command = child as Command
  }
  const known = new Set([command, tree].flatMap(({ options }) => options.flatMap(({ long, short }) => [long, short])))
  return words.find((word) => /^--?[a-z]/.test(word) && !known.has(word.split('=')[0]))
}

/** Under both names it is one command, and one help. */
const CALLED: Readonly<Record<string, string>> = { 'webhooks listen': 'listen' }

describe('a command line that people read is one that crm takes', () => {
  test('every command has examples', () => {
    const without = leavesOf(tree).filter(({ command }) => textBelow(command).examples.length === 0)
    expect(without.map(({ name }) => name)).toEqual([])
  })

  for (const { name, command } of [{ name: '', command: tree }, ...leavesOf(tree)]) {
    test(`the examples of crm ${name}`, async () => {
      const { examples } = textBelow(command)
      for (const line of examples) {
        const commands = crmCommands(line)
        expect(commands.length, line).toBeGreaterThan(0)
        for (const words of commands) expect(await refusal(words), line).toBeUndefined()
      }
      expect(examples.join('\n')).toContain(`crm ${CALLED[name] ?? name}`)
    })
  }

  for (const { path, blocks, spans } of readPages()) {
    test(`the blocks of ${path}`, async () => {
      for (const block of blocks) {
        for (const { line } of typedLines(block)) {
          for (const words of crmCommands(line)) expect(await refusal(words), `${block.place}: ${line}`).toBeUndefined()
        }
      }
    })

    test(`the commands named in the text of ${path}`, () => {
      const unknown = spans
        .filter((span) => /^crm [a-z]/.test(span))
        .flatMap((span) => (unknownIn(nameIn(span)) === undefined ? [] : [`${span}: ${unknownIn(nameIn(span))}`]))
      expect(unknown).toEqual([])
    })
  }
})

/** Why a command line is refused before anything is done; undefined when it is not. */
async function refusal(argv: readonly string[]): Promise<string | undefined> {
  try {
    await (await commandTree(argv)).parseAsync(argv, { from: 'user' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
