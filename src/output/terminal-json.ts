import { parseJsonAsWritten } from '../core/json.ts'
import { jsonText, safeLines } from './safe-text.ts'
import { createStyles } from './terminal-text.ts'

/** A document that a server sent, for a terminal: JSON is indented, with its numbers as written; any other text has its lines. */
export function documentForTerminal(text: string, color: boolean): string {
  try {
    const shown = jsonText(parseJsonAsWritten(text), 2)
    return color ? colorJson(shown) : shown
  } catch (error) {
    if (error instanceof SyntaxError) return safeLines(text)
    throw error
  }
}

/** The strings of indented JSON, with the colon if it is a member name, and its other values. */
const TOKEN = /("(?:\\.|[^"\\])*")(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g

/** Names are bold, texts green, null dim, and other values red. */
function colorJson(json: string): string {
  const { bold, green, red, dim } = createStyles(true)
  return json.replace(TOKEN, (found, text?: string, colon?: string) => {
    if (text === undefined) return found === 'null' ? dim(found) : red(found)
    return colon === undefined ? green(text) : `${bold(text)}${colon}`
  })
}
