import type { Command } from 'commander'
import type { HelpPart } from '../../src/commands/help/topic-texts.ts'
import { HELP_TOPIC_NAMES, HELP_TOPICS } from '../../src/commands/help/topics.ts'
import { leavesOf, textBelow } from './command-tree.ts'

/** `man/*.1`, in the macros of man(7): a page for each word after `crm`, and an overview. */
export async function manFiles(tree: Command): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([['man/crm.1', await rootPage(tree)]])
  for (const command of tree.commands) {
    const group = command as Command
    pages.set(`man/crm-${group.name()}.1`, groupPage(group))
  }
  return pages
}

async function rootPage(tree: Command): Promise<string> {
  const help = tree.createHelp()
  const topics: string[] = []
  for (const name of HELP_TOPIC_NAMES) {
    const { title, parts } = await HELP_TOPICS[name].load()
    topics.push(section(title), ...parts.map(topicPart))
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

function groupPage(group: Command): string {
  const leaves = leavesOf(group, [group.name()])
  return page(`crm-${group.name()}`, group.summary() || group.description(), [
    section('Synopsis'),
    leaves.map(({ name, command }) => `.B crm ${roff(name)}\n${roff(command.usage())}`).join('\n.br\n'),
    ...leaves.flatMap(({ name, command }) => [
      section(`crm ${name}`),
      roff(command.description()),
      ...optionTerms(command),
      '.PP\nExamples:',
      ...exampleLines(command),
      ...textBelow(command).notes.map((note) => `.PP\n${roff(note)}`),
    ]),
    section('See also'),
    '.BR crm (1)',
  ])
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
  return part.rows.map(([name, meaning]) => term(`.B ${roff(name)}`, meaning)).join('\n')
}

function term(head: string, meaning: string): string {
  return `.TP\n${head}\n${roff(meaning)}`
}

function reference(name: string): string {
  return `.BR crm\\-${roff(name)} (1)`
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
