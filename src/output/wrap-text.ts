import { fitText, textWidth } from './text-width.ts'

/** Breaks a text into lines of at most `width` columns, between words if possible. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<= )/)) {
    if (textWidth(line + word.trimEnd()) <= width) {
      line += word
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (textWidth(line) > width) {
      const head = fitText(line, width + 1).slice(0, -1) || line.slice(0, 1)
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return [...lines, line]
}
