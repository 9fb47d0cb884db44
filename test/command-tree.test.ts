import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandTree, leavesOf } from '../scripts/reference/command-tree.ts'
import { EXIT_CODES_TOPIC } from '../src/commands/help/topic-texts.ts'
import { CODE } from '../src/commands/schema/json-schema.ts'
import { outputSchema } from '../src/commands/schema/outputs.ts'
import { CrmError, type ErrorCode } from '../src/core/errors.ts'
import { EXIT } from '../src/core/exit.ts'
import type { JsonSchema } from '../src/core/json.ts'
import { crm } from './harness/crm.ts'
import { emptyHome } from './harness/home.ts'

/** What scripts rely on is in two files of test/golden, so that a review sees it change. */
const REVIEWED = 'not what was reviewed; if it is meant, npx vitest run test/command-tree.test.ts -u writes it'

test('commands, flags, and the members and types of what they print are those that were reviewed', async () => {
  const places = new Map<string, string>()
  const text = describeTree(await commandTree(), 'crm', (name) => describeOutput(name, places))
  await expect(`${text.join('\n')}\n`, REVIEWED).toMatchFileSnapshot('golden/commands.txt')
})

test('exit codes, error codes and the members of an error are those that were reviewed', async () => {
  const names = Object.entries(EXIT).map(([name, code]) => [String(code), name])
  const meanings = EXIT_CODES_TOPIC.parts.flatMap((part) => (typeof part === 'string' ? [] : part.rows))
  const codes = (CODE as unknown as { readonly enum: readonly (ErrorCode | 'bug')[] }).enum
  const exits = codes.map((code) => {
    const exit = code === 'bug' ? EXIT.bug : new CrmError(code, '', { hint: '' }).exit
    return `error.code ${code}: exit ${exit}`
  })
  const lines = names.map(([code, name], at) => `exit ${code} ${name}: ${meanings[at]?.[1]}`)
  const text = [...lines, ...exits, ...describeOutput('error', new Map())]
  await expect(`${text.join('\n')}\n`, REVIEWED).toMatchFileSnapshot('golden/exit-codes.txt')
})

/** Names, arguments and flags, and what `below` adds for `contacts list`. */
function describeTree(command: Command, path: string, below: (name: string) => readonly string[] = () => []): string[] {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  const flags = command.options.filter((option) => !option.hidden).map((option) => `  ${option.flags}`)
  const own = [[path, ...words].join(' '), ...flags.sort(), ...below(path.slice('crm '.length))]
  return [
    ...own,
    ...command.commands.flatMap((child) => describeTree(child as Command, `${path} ${child.name()}`, below)),
  ]
}

function describeOutput(name: string, places: Map<string, string>): readonly string[] {
  const schema = outputSchema(name)
  return schema === undefined
    ? []
    : `  prints ${describeType(schema, { place: name, indent: '  ', places })}`.split('\n')
}

interface At {
  /** `deals list[].stage`; `deals list|2` of the second of two types. */
  readonly place: string
  readonly indent: string
  /** Where each object was described: it is named where it is met again. */
  readonly places: Map<string, string>
}

interface Type {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly format?: string
}

/** As in TypeScript, with a member a line. */
function describeType(schema: JsonSchema, at: At): string {
  const { type, anyOf, enum: words, const: only, items, format } = schema as Type
  const placeOf = (index: number) => (index === 0 ? at.place : `${at.place}|${index + 1}`)
  if (anyOf) return anyOf.map((each, index) => describeType(each, { ...at, place: placeOf(index) })).join(' | ')
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (type === 'array') return `[${describeType(items ?? {}, { ...at, place: `${at.place}[]` })}]`
  if (type === 'object') return describeObject(schema, at)
  if (type === undefined) return 'any'
  return [type]
    .flat()
    .join(' | ')
    .replace('string', format ?? 'string')
}

function describeObject(schema: JsonSchema, { place, indent, places }: At): string {
  const { properties = {}, required = [], additionalProperties: others } = schema as Type
  const members = Object.entries(properties)
  if (members.length === 0 && others === true) return '{ ... }'
  const text = JSON.stringify(schema)
  const first = places.get(text)
  if (first !== undefined && members.length > 3) return `{as ${first}}`
  places.set(text, first ?? place)
  const lineOf = (key: string, member: JsonSchema) =>
    `${indent}  ${key}: ${describeType(member, { place: `${place}.${key}`, indent: `${indent}  `, places })}`
  const lines = members.map(([name, member]) => lineOf(required.includes(name) ? name : `${name}?`, member))
  if (typeof others === 'object') lines.push(lineOf('*', others))
  if (others === true) lines.push(`${indent}  ...`)
  return ['{', ...lines, `${indent}}`].join('\n')
}

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

test('help --json lists every command with its flags, and names schemas that exist', async () => {
  const { exit, stdout } = await crm(['help', '--json'], emptyHome())
  expect(exit).toBe(0)
  const list = JSON.parse(stdout)
  const names = (list.commands as { name: string }[]).map(({ name }) => name)
  expect(names.toSorted()).toEqual(
    leavesOf(await commandTree())
      .map(({ name }) => `crm ${name}`)
      .toSorted(),
  )
  const apply = list.commands.find(({ name }: { name: string }) => name === 'crm fixtures apply')
  expect(apply).toMatchObject({
    arguments: [{ name: 'files', is_required: true, is_list: true }],
    schema: 'fixtures apply',
  })
  expect(apply.flags).toContainEqual(expect.objectContaining({ flags: '--run-id <id>', takes_value: true }))
  expect(list.exit_codes.map(({ code }: { code: number }) => code)).toEqual(Object.values(EXIT))
  for (const name of list.schemas) expect(outputSchema(name)).toBeDefined()
})
