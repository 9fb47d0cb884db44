import type { Help } from 'commander'
import type { JsonSchema } from '../../core/json.ts'
import type { HelpTopic } from './topic-texts.ts'

/** The schema of connectors, whose module commands do not load. */
type LoadSchema = () => Promise<JsonSchema>

/** `crm help NAME`. Each text is loaded when it is asked for: a start should not pay for what few read. */
export const HELP_TOPICS = {
  'exit-codes': {
    summary: 'what a script may branch on',
    load: async () => (await import('./topic-texts.ts')).EXIT_CODES_TOPIC,
  },
  environment: {
    summary: 'variables that crm reads, and where it keeps things',
    load: async () => (await import('./topic-texts.ts')).ENVIRONMENT_TOPIC,
  },
  output: {
    summary: 'formats, expressions, and what goes to stderr',
    load: async () => (await import('./topic-texts.ts')).OUTPUT_TOPIC,
  },
  'connector-format': {
    summary: 'members of a file that describes another CRM',
    load: async (schema: LoadSchema) => (await import('./connector-topic.ts')).connectorTopic(await schema()),
  },
} as const satisfies Record<
  string,
  { readonly summary: string; readonly load: (schema: LoadSchema) => Promise<HelpTopic> }
>

export type HelpTopicName = keyof typeof HELP_TOPICS

export const HELP_TOPIC_NAMES = Object.keys(HELP_TOPICS) as readonly HelpTopicName[]

export function findHelpTopic(word: string): HelpTopicName | undefined {
  return HELP_TOPIC_NAMES.find((name) => name === word)
}

/** In the layout of the help of a command: terms in a column, lines as wide as the terminal. */
export async function topicText({ title, parts }: HelpTopic, help: Help, width: number): Promise<string> {
  const { GAP, loadDrawTable } = await import('../../output/table-layout.ts')
  const draw = await loadDrawTable()
  const texts = parts.map((part) => {
    if (typeof part === 'string') return help.boxWrap(part, width)
    const termWidth = GAP + Math.max(...part.rows.map(([term]) => term.length))
    const room = width - termWidth - GAP
    const rows = part.rows.flatMap(([term, meaning]) => {
      const lines = room < help.minWidthToWrap ? [meaning] : help.boxWrap(meaning, room).split('\n')
      return lines.map((line, at) => [at === 0 ? ' '.repeat(GAP) + term : '', line])
    })
    const lines = draw({ widths: [termWidth, 1], aligns: ['left', 'left'], isCut: false }, rows)
    return [...(part.heading === undefined ? [] : [`${part.heading}:`]), ...lines].join('\n')
  })
  return `${title}\n\n${texts.join('\n\n')}\n`
}
