import type { OutputStream } from '../../core/streams.ts'
import { ERASE_LINE } from '../../output/note-line.ts'
import { fitText } from '../../output/text-width.ts'

/** The last line of a terminal, which says that the command is alive. */
export interface StatusLine {
  /** Text for stdout, so that it does not stand behind the line where both are one terminal. */
  above(text: string): string
  end(): void
}

const ON_TERMINAL_MS = 1000
/** Elsewhere it would fill a file: a line a minute, and only when there is something to say. */
const ELSEWHERE_MS = 60_000

export function startStatusLine(stderr: OutputStream, stdout: OutputStream, text: () => string): StatusLine {
  let said = text()
  const draw = (): void => void stderr.write(`${ERASE_LINE}${fitText(text(), (stderr.columns || 80) - 1)}`)
  const tell = (): void => {
    const next = text()
    if (next.replace(/^.*?·/, '') !== said.replace(/^.*?·/, '')) stderr.write(`${next}\n`)
    said = next
  }
  const timer = setInterval(stderr.isTTY ? draw : tell, stderr.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS)
  timer.unref()
  return {
    above: (line) => (stderr.isTTY && stdout.isTTY ? ERASE_LINE + line : line),
    end() {
      clearInterval(timer)
      if (stderr.isTTY) stderr.write(ERASE_LINE)
    },
  }
}
