const ESC = '\x1b'
const BEL = '\x07'

/** The answer to OSC 11, such as `ESC ]11;rgb:1d1d/1f1f/2121 BEL`. */
const PART = '([0-9a-f]{1,4})'
const ANSWER = new RegExp(`${ESC}\\]11;rgba?:${PART}/${PART}/${PART}[^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`, 'i')
/** The beginning of one; ESC alone is a key. */
const BEGINNING = new RegExp(`${ESC}\\][^${BEL}${ESC}]*${ESC}?$`)

const QUESTION = `${ESC}]11;?${BEL}`
/** An answer that takes longer than this is a terminal that gives none. */
const WAIT_MS = 2_000

type Background = 'dark' | 'light'

export interface BackgroundQuestion {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly onAnswer: (background: Background) => void
}

/**
 * Asks the terminal for its background. The answer arrives as input, between keys, so it is taken out of what the screens read.
 * Nothing waits for it, and the first frame is not later. Returns a function that stops looking for it.
 */
export function askBackground({ stdin, stdout, onAnswer }: BackgroundQuestion): () => void {
  const read = stdin.read
  let held = ''
  const stop = () => {
    clearTimeout(timer)
    if (stdin.read === readWithout) stdin.read = read
    if (held !== '') stdin.unshift(Buffer.from(held))
    held = ''
  }
  function readWithout(size?: number): unknown {
    const chunk: unknown = read.call(stdin, size)
    if (typeof chunk !== 'string') return chunk
    const text = held + chunk
    const answer = ANSWER.exec(text)
    held = answer ? '' : (BEGINNING.exec(text)?.[0] ?? '')
    // With null, the reader would wait for an event that does not come while it has not read to the end.
    if (!answer) return held === '' ? text : text.slice(0, -held.length) || readWithout(size)
    stop()
    onAnswer(backgroundOf(answer.slice(1)))
    return text.replace(ANSWER, '') || read.call(stdin, size)
  }
  const timer = setTimeout(stop, WAIT_MS).unref()
  stdin.read = readWithout
  stdout.write(QUESTION)
  return stop
}

/** By the luminance of ITU-R BT.709; each part has one to four hexadecimal digits. */
export function backgroundOf(parts: readonly string[]): Background {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark'
}
