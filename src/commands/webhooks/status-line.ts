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

export interface StatusOptions {
  readonly stderr: OutputStream
  readonly stdout: OutputStream
  text(): string
  /** What has happened so far: while that stays, nothing is said again where lines pile up. */
  news(): string
}

export function startStatusLine({ stderr, stdout, text, news }: StatusOptions): StatusLine {
  let said = news()
  const draw = (): void => void stderr.write(`${ERASE_LINE}${fitText(text(), (stderr.columns || 80) - 1)}`)
  const tell = (): void => {
    if (news() !== said) stderr.write(`${text()}\n`)
    said = news()
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
