/** The alternate screen of a terminal, which leaves the main one unchanged. */
export interface AlternateScreen {
  /** What Ink is given as the terminal: its modes and its size. The text of its own frames, which are empty, is dropped. */
  readonly terminalOfInk: NodeJS.WriteStream
  isOpen(): boolean
  open(): void
  /** Safe to call at any time. */
  close(): void
}

const ESC = '\x1b'
const OPEN = `${ESC}[?1049h`
const CLOSE = `${ESC}[?1049l`
const HIDE_CURSOR = `${ESC}[?25l`
const SHOW_CURSOR = `${ESC}[?25h`

/** Alternate screen, bracketed paste and cursor. */
const MODES = new RegExp(`${ESC}\\[\\?(?:1049|2004|25)[hl]`, 'g')

/** `onOpened` is called each time it was opened empty, also after another program had the terminal. */
export function createAlternateScreen(stdout: NodeJS.WriteStream, onOpened: () => void): AlternateScreen {
  let isOpen = false
  const passOn = (mode: string): string => {
    if (mode !== OPEN && mode !== CLOSE) return mode
    if (isOpen === (mode === OPEN)) return ''
    isOpen = !isOpen
    return mode
  }
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const wasOpen = isOpen
    const modes = String(chunk).match(MODES)?.map(passOn).join('') ?? ''
    const isTaken: boolean = Reflect.apply(stdout.write, stdout, [modes, ...rest])
    if (isOpen && !wasOpen) onOpened()
    return isTaken
  }
  const terminalOfInk = new Proxy(stdout, {
    get: (stream, name) => {
      if (name === 'write') return write
      const value: unknown = Reflect.get(stream, name, stream)
      return typeof value === 'function' ? value.bind(stream) : value
    },
  })
  return {
    terminalOfInk,
    isOpen: () => isOpen,
    open: () => void write(OPEN + HIDE_CURSOR),
    close: () => {
      if (isOpen) write(SHOW_CURSOR + CLOSE)
    },
  }
}
