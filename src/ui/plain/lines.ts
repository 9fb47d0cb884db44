import { createInterface } from 'node:readline'

/** Lines typed by a person, one question at a time. */
export interface Lines {
  /** Lines that were typed ahead answer it, except where `isFresh`. Undefined after the end of the input. */
  ask(question: string, isFresh?: boolean): Promise<string | undefined>
  close(): void
}

export interface LinesOptions {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Called for Ctrl-C. */
  readonly onInterrupt: () => void
}

export function openLines({ stdin, stdout, onInterrupt }: LinesOptions): Lines {
  const lines = createInterface({ input: stdin, output: stdout })
  let ahead: string[] = []
  let isClosed = false
  let answer: ((text: string | undefined) => void) | undefined
  const give = (text: string | undefined) => {
    const waiting = answer
    answer = undefined
    waiting?.(text)
  }
  lines.on('line', (text) => {
    if (answer) give(text.trim())
    else ahead.push(text.trim())
  })
  lines.on('close', () => {
    isClosed = true
    give(undefined)
  })
  lines.on('SIGINT', onInterrupt)
  return {
    ask: (question, isFresh = false) => {
      if (isFresh) ahead = []
      const typed = ahead.shift()
      if (typed !== undefined || isClosed) return Promise.resolve(typed)
      lines.setPrompt(question)
      lines.prompt()
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    close: () => lines.close(),
  }
}
