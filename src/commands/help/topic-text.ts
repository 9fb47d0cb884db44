import type { Help } from 'commander'
import type { HelpTopic } from './help-topic.ts'

/** As the help of a command looks: terms in a column, lines as wide as the terminal. */
export function topicText({ title, parts }: HelpTopic, help: Help, width: number): string {
  help.prepareContext({ helpWidth: width })
  const texts = parts.map((part) => {
    if (typeof part === 'string') return help.boxWrap(part, width)
    const termWidth = Math.max(...part.rows.map(([term]) => term.length))
    return part.rows.map(([term, meaning]) => help.formatItem(term, termWidth, meaning, help)).join('\n')
  })
  return `${title}\n\n${texts.join('\n\n')}\n`
}
