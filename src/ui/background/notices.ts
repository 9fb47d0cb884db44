import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { safeText } from '../../output/safe-text.ts'
import { takePage } from '../list/list-state.ts'
import { SEARCHED, type ServerList } from '../screens.ts'
import { type State, type StateStore, type Toast, withList } from '../state.ts'

const SHOWN_MS = 8_000
const MOST_SHOWN = 3

export interface Notices {
  /** `more` is shown only while there is a screen. */
  done(text: string, more?: string): void
  wait(text: string): void
  /** Shows a CrmError. Any other error is a bug, and is rethrown. */
  problem(error: unknown, what: string, topic?: string): void
  /** Removes the messages about a topic that works again; the log keeps them. */
  recovered(topic: string): void
  /** The number of problems so far. */
  problemCount(): number
  /** Removes the oldest message; false when there is none. */
  dismiss(): boolean
  /** After the screens are closed: messages become lines on the terminal, including those about a stop. */
  leaveScreen(say: (line: string) => void): void
  close(): void
}

/** Short messages above the keys; the log keeps all of them. */
export function createNotices(store: StateStore<State>, now: () => number, signal: AbortSignal): Notices {
  let count = 0
  const timers = new Set<NodeJS.Timeout>()
  let problems = 0
  let say: ((line: string) => void) | undefined
  function show(
    type: Toast['type'],
    text: string,
    { requestId, topic }: { requestId?: string | undefined; topic?: string | undefined } = {},
  ): void {
    if (say) return void say(safeText(text))
    const id = ++count
    const entry = {
      id: String(id),
      time: new Date(now()).toTimeString().slice(0, 8),
      message: text,
      ...(requestId !== undefined && { request_id: requestId }),
    }
    store.update((state) => {
      const log = state.lists.log
      const page = { items: [entry], nextCursor: undefined, searched: SEARCHED.log }
      const toasts = [...state.toasts, { id, type, text: safeText(text), topic }].slice(-MOST_SHOWN)
      return withList({ ...state, toasts }, 'log', () => takePage(log, page))
    })
    const timer = setTimeout(() => {
      timers.delete(timer)
      store.update((state) => ({ ...state, toasts: state.toasts.filter((toast) => toast.id !== id) }))
    }, SHOWN_MS)
    timers.add(timer)
  }
  return {
    done: (text, more = '') => show('done', say ? text : `${text}${more}`),
    wait: (text) => show('wait', text),
    problem: (error, what, topic) => {
      // A wait before the first request is aborted with the reason of the signal itself.
      if (signal.aborted && error === signal.reason) return void say?.(`${what}stopped before anything more was sent`)
      if (!(error instanceof CrmError)) throw error
      if (error.code === 'interrupted') return void say?.(interruptedText(error, what))
      problems++
      const { requestId, hint } = error.details
      const id = requestId === undefined ? '' : ` (request ${requestId})`
      show('problem', `${what}${error.message}${id}; ${hint}`, { requestId, topic })
    },
    recovered: (topic) =>
      store.update((state) =>
        state.toasts.some((toast) => toast.topic === topic)
          ? { ...state, toasts: state.toasts.filter((toast) => toast.topic !== topic) }
          : state,
      ),
    dismiss: () => {
      if (store.get().toasts.length === 0) return false
      store.update((state) => ({ ...state, toasts: state.toasts.slice(1) }))
      return true
    },
    problemCount: () => problems,
    leaveScreen: (write) => {
      say = write
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** The text for a stopped job or write; whether the server applied a write that was sent is unknown. */
function interruptedText({ message, details }: CrmError, what: string): string {
  if (details.job !== undefined) return `${message}: ${details.hint}`
  if (!details.isInDoubt) return `${what}stopped before it was sent`
  return `${what}in doubt: stopped before the answer; the server may have applied it`
}

/** The beginning of a message: `failed`, or `open` when the write is in doubt. */
export function leadOf(error: unknown, { failed, open }: { readonly failed: string; readonly open: string }): string {
  if (!(error instanceof CrmError)) return failed
  const isOpen = error.code === 'in_doubt' || (error.code === 'interrupted' && error.details.isInDoubt === true)
  return isOpen ? open : failed
}

/** The command that shows whether a change was applied. */
export function lookText(name: ServerList, id: string): string {
  return `crm ${name} get ${shellWord(id)} shows whether it was applied`
}
