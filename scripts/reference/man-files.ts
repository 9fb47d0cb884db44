import type { Command } from 'commander'
import type { HelpPart } from '../../src/commands/help/topic-texts.ts'
import { HELP_TOPIC_NAMES, HELP_TOPICS, type HelpTopicName } from '../../src/commands/help/topics.ts'
import { connectorSchema } from '../../src/connector/json-schema.ts'
import { type Leaf, leavesOf, textBelow } from './command-tree.ts'

/** `man/*.1`, in the macros of man(7): a page for each command, one for each group of commands, and an overview. */
export async function manFiles(tree: Command): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([['man/crm.1', await rootPage(tree)]])
  for (const command of tree.commands) {
    const group = command as Command
    const leaves = leavesOf(group, [group.name()])
    pages.set(
      pathOf(group.name()),
      groupPage(group, leaves, group.name() === 'connectors' ? await topicSection(FORMAT) : []),
    )
    for (const leaf of leaves) if (leaf.command !== group) pages.set(pathOf(leaf.name), commandPage(leaf))
  }
  return pages
}

/** Of the page of `crm connectors`: it is as long as all others together. */
const FORMAT = 'connector-format'

async function topicSection(name: HelpTopicName): Promise<readonly string[]> {
  const { title, parts } = await HELP_TOPICS[name].load(async () => connectorSchema())
  return [section(title), ...parts.map(topicPart)]
}

async function rootPage(tree: Command): Promise<string> {
  const help = tree.createHelp()
  const topics: string[] = []
  for (const name of HELP_TOPIC_NAMES) {
    if (name !== FORMAT) topics.push(...(await topicSection(name)))
  }
  return page('crm', tree.description(), [
    section('Synopsis'),
    '.B crm\n.I command\n.RI [ options ]',
    section('Commands'),
    ...help
      .visibleCommands(tree)
      .filter((command) => command.name() !== 'help')
      .map((command) => term(reference(command.name()), command.summary() || command.description())),
    section('Global options'),
    ...optionTerms(tree),
    ...topics,
    section('Examples'),
    ...exampleLines(tree),
  ])
}

/** Of a word after `crm`: with commands below it, it lists them. */
function groupPage(group: Command, leaves: readonly Leaf[], format: readonly string[]): string {
  const below = leaves.filter(({ command }) => command !== group)
  if (below.length === 0) return commandPage({ name: group.name(), command: group })
  return page(`crm-${group.name()}`, group.summary() || group.description(), [
    section('Synopsis'),
    leaves.map(synopsis).join('\n.br\n'),
    section('Description'),
    roff(group.description()),
    ...(below.length < leaves.length ? optionTerms(group) : []),
    section('Commands'),
    ...below.map(({ name, command }) => term(reference(name), command.summary() || command.description())),
    ...format,
    section('See also'),
    '.BR crm (1)',
  ])
}

function commandPage(leaf: Leaf): string {
  const { name, command } = leaf
  const [group = ''] = name.split(' ')
  const above = group === name ? [] : [`${reference(group)},`]
  return page(`crm-${dashed(name)}`, command.summary() || command.description(), [
    section('Synopsis'),
    synopsis(leaf),
    section('Description'),
    roff(command.description()),
    ...textBelow(command).notes.map((note) => `.PP\n${roff(note)}`),
    section('Options'),
    ...optionTerms(command),
    '.PP',
    'Options of all commands, such as',
    '.BR \\-\\-profile ,',
    'are in',
    '.BR crm (1).',
    section('Examples'),
    ...exampleLines(command),
    section('See also'),
    ...above,
    '.BR crm (1)',
  ])
}

function synopsis({ name, command }: Leaf): string {
  return `.B crm ${roff(name)}\n${roff(command.usage())}`
}

function dashed(name: string): string {
  return name.replaceAll(' ', '-')
}

function pathOf(name: string): string {
  return `man/crm-${dashed(name)}.1`
}

function page(name: string, summary: string, parts: readonly string[]): string {
  const head = `.TH ${roff(name.toUpperCase())} 1 "" "crm" "crm manual"\n.SH NAME\n${roff(`${name} - ${summary}`)}`
  // A heading begins a paragraph.
  return `${[head, ...parts].join('\n').replace(/^(\.SH .*\n)\.PP\n/gm, '$1')}\n`
}

function section(title: string): string {
  return `.SH ${roff(title.toUpperCase())}`
}

function optionTerms(command: Command): readonly string[] {
  const help = command.createHelp()
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => term(`.B ${roff(help.optionTerm(option))}`, help.optionDescription(option)))
}

function topicPart(part: HelpPart): string {
  if (typeof part === 'string') return `.PP\n${roff(part)}`
  const heading = part.heading === undefined ? [] : [`.SS ${roff(part.heading)}`]
  return [...heading, ...part.rows.map(([name, meaning]) => term(`.B ${roff(name)}`, meaning))].join('\n')
}

function term(head: string, meaning: string): string {
  return `.TP\n${head}\n${roff(meaning)}`
}

function reference(name: string): string {
  return `.BR crm\\-${roff(dashed(name))} (1)`
}

function exampleLines(command: Command): readonly string[] {
  return ['.PP', '.RS 4', '.nf', ...textBelow(command).examples.map(roff), '.fi', '.RE']
}

/** Escapes text for roff: no escapes, no request at the beginning of a line, and hyphens that can be copied. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('`', '\\(ga')
    .replace(/^\./gm, '\\&.')
}
