import { createInterface } from 'node:readline'
import { type BackgroundWorld, createBackground } from './background/background.ts'
import { learnOffered } from './background/learn-offered.ts'
import { createBoards } from './board.ts'
import { withFirstColumns } from './list/shown-columns.ts'
import { answerLine, KEYS } from './plain/commands.ts'
import { createListing } from './plain/listing.ts'
import type { Plain, PlainScreen } from './plain/plain.ts'
import { createStore, initialState, type ServerPlace, type State, type StateStore } from './state.ts'
import { progressTexts } from './text/progress-text.ts'

export interface PlainOptions extends Omit<BackgroundWorld, 'changes' | 'live' | 'refreshEveryMs'> {
  readonly screen: PlainScreen | 'home'
  readonly place: ServerPlace
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Stops the program, like Ctrl-C. */
  readonly interrupt: () => void
}

/** Plain lines, never redrawn: for screen readers and simple terminals. State and work are those of the screens. */
export async function openPlain(options: PlainOptions): Promise<void> {
  const { screen, place, stdin, stdout, signal, openApi } = options
  const store = createStore(withFirstColumns(initialState(screen, place, { columns: 80, rows: 24 })))
  const background = createBackground(store, {
    ...options,
    changes: undefined,
    live: undefined,
    refreshEveryMs: undefined,
  })
  let write = (line: string) => void stdout.write(`${line}\n`)
  const say = (line: string) => write(line)
  background.notices.leaveScreen(say)
  const lines = openLines({ stdin, stdout, onInterrupt: () => interrupt() })

  /** Ctrl-C stops what runs; at a question it leaves. */
  function interrupt(): void {
    const isAgain = store.get().underWay.some(({ progress }) => progress?.isStopping)
    if (!isAgain && background.underWay.stop()) return void say('Stopping after the requests that were sent.')
    if (store.get().underWay.length > 0) return void options.interrupt()
    if (background.lists.cancel()) return void say('Stopped loading.')
    lines.close()
  }

  const parts = {
    ...{ store, background, boards: createBoards(), world: { openApi }, say },
    learned: learnOffered(store, openApi),
    held: async (work: () => Promise<unknown>) => {
      const [before, kept]: [typeof write, string[]] = [write, []]
      write = (line) => void kept.push(`Error: ${line}`)
      await work().finally(() => {
        write = before
      })
      return kept
    },
  }
  const plain: Plain = { ...parts, ask: (question) => lines.ask(question, true), listing: createListing(parts) }
  const close = () => {
    background.lists.cancel()
    lines.close()
  }
  signal.addEventListener('abort', close)
  const stopProgress = sayProgress(store, say)
  try {
    say(`${place.isProtected ? 'Protected profile ' : ''}${place.text}. ${screen}. ${KEYS}`)
    await answerLine(plain, screen)
    await answerAll(plain, lines)
    await background.underWay.settled()
  } finally {
    signal.removeEventListener('abort', close)
    stopProgress()
    background.events.close()
    background.jobs.close()
    close()
  }
}

async function answerAll(plain: Plain, lines: Lines): Promise<void> {
  for (let text = await lines.ask('> '); text !== undefined && text !== 'q'; text = await lines.ask('> ')) {
    await answerLine(plain, text)
  }
}

const SAID_EVERY_MS = 5_000

/** A line every few seconds while rows are sent. */
function sayProgress(store: StateStore<State>, say: (line: string) => void): () => void {
  let saidMs: number | undefined
  return store.subscribe(() => {
    const progress = store.get().underWay.find((each) => each.progress !== undefined)?.progress
    const nowMs = performance.now()
    if (!progress) saidMs = undefined
    else if (saidMs === undefined) saidMs = nowMs
    else if (nowMs - saidMs >= SAID_EVERY_MS) {
      saidMs = nowMs
      say(`${progressTexts(progress).join(', ')}. Ctrl-C stops.`)
    }
  })
}

/** Lines typed by a person, one question at a time. */
interface Lines {
  /** Lines that were typed ahead answer it, except where `isFresh`. Undefined after the end of the input. */
  ask(question: string, isFresh?: boolean): Promise<string | undefined>
  close(): void
}

interface LinesOptions {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  /** Called for Ctrl-C. */
  readonly onInterrupt: () => void
}

function openLines({ stdin, stdout, onInterrupt }: LinesOptions): Lines {
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
