import type { Command, Option } from 'commander'
import type { HelpPart, HelpTopic } from '../../src/commands/help/topic-texts.ts'
import { HELP_TOPIC_NAMES, HELP_TOPICS } from '../../src/commands/help/topics.ts'
import { OUTPUT_NAMES } from '../../src/commands/schema/outputs.ts'
import { leavesOf, textBelow } from './command-tree.ts'
import { schemaPath } from './schema-files.ts'

const MADE = 'Made from the commands by `npm run reference`.'

/** `docs/reference/*.md`: a page for each word after `crm`, and an overview. */
export async function pageFiles(tree: Command): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([['docs/reference/README.md', await indexPage(tree)]])
  for (const command of tree.commands) pages.set(`docs/reference/${command.name()}.md`, groupPage(command as Command))
  return pages
}

async function indexPage(tree: Command): Promise<string> {
  const commands = tree.commands.map((command) => {
    const name = command.name()
    return `- [crm ${name}](${name}.md): ${cell(command.summary() || command.description())}`
  })
  const topics: string[] = []
  for (const name of HELP_TOPIC_NAMES) topics.push(topicSection(await HELP_TOPICS[name].load()))
  return page([
    '# Reference',
    MADE,
    commands.join('\n'),
    '## Global flags',
    flagTable(tree),
    ...topics,
    'The format of connectors: [connector-format](connector-format.md).',
    `Schemas of all that is printed with \`-o json\`: [schemas](../../schemas).`,
  ])
}

function groupPage(group: Command): string {
  const leaves = leavesOf(group, [group.name()])
  return page([
    `# crm ${group.name()}`,
    MADE,
    ...leaves.flatMap(({ name, command }) => commandSection(name, command)),
    'Flags of every command, exit codes and environment: [reference](README.md).',
  ])
}

function commandSection(name: string, command: Command): readonly string[] {
  const { examples, notes } = textBelow(command)
  return [
    `## crm ${name}`,
    command.description(),
    ['```', `crm ${name} ${command.usage()}`, '```'].join('\n'),
    argumentList(command),
    flagTable(command),
    ['```sh', ...examples, '```'].join('\n'),
    ...notes.map(escaped),
    OUTPUT_NAMES.includes(name) ? `Output: [${schemaPath(name)}](../../${schemaPath(name)}).` : '',
  ]
}

function argumentList({ registeredArguments }: Command): string {
  return registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => `- \`${argument.name()}\`: ${escaped(argument.description)}`)
    .join('\n')
}

function flagTable(command: Command): string {
  const help = command.createHelp()
  const options: readonly Option[] = help.visibleOptions(command).filter(({ long }) => long !== '--help')
  return table(options.map((option) => [help.optionTerm(option), help.optionDescription(option)]))
}

function topicSection({ title, parts }: HelpTopic): string {
  return [`## ${title}`, ...parts.map(topicPart)].join('\n\n')
}

function topicPart(part: HelpPart): string {
  return typeof part === 'string' ? escaped(part) : table(part.rows)
}

function table(rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return ''
  return [
    '| | |',
    '|---|---|',
    ...rows.map(([term, meaning]) => `| \`${cell(term)}\` | ${cell(escaped(meaning))} |`),
  ].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** Escapes characters that Markdown reads as a tag, an emphasis or a link. */
function escaped(text: string): string {
  return text.replace(/[<>*_[\]`]/g, '\\$&')
}

function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}
