import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'
import { safeText } from '../../output/safe-text.ts'
import { takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, type Toast, withList } from '../state.ts'
import type { Store } from '../store.ts'
import type { ServerList } from './loading.ts'

const SHOWN_MS = 8_000
const MOST_SHOWN = 3

export interface Notices {
  /** `more` is of use only while there is a screen. */
  done(text: string, more?: string): void
  wait(text: string): void
  /** What a person can act on; anything else is a bug and is thrown on. */
  problem(error: unknown, what: string, topic?: string): void
  /** What was a problem of it is none any more; the log has it still. */
  mended(topic: string): void
  /** How many there were. */
  problemCount(): number
  /** Takes the oldest away; false when there is none. */
  dismiss(): boolean
  /** The screen is gone: from now on they are lines of the terminal, those of a stop too. */
  leaveScreen(say: (line: string) => void): void
  close(): void
}

/** Short messages over the keys; all of them stay in the log. */
export function createNotices(store: Store<State>, now: () => number, signal: AbortSignal): Notices {
  let count = 0
  const timers = new Set<NodeJS.Timeout>()
  let problems = 0
  let say: ((line: string) => void) | undefined
  function show(
    kind: Toast['kind'],
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
      const toasts = [...state.toasts, { id, kind, text: safeText(text), topic }].slice(-MOST_SHOWN)
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
      // A wait before the first request ends with the reason of the signal itself.
      if (signal.aborted && error === signal.reason) return void say?.(`${what}stopped before anything more was sent`)
      if (!(error instanceof CrmError)) throw error
      if (error.code === 'interrupted') return void say?.(interruptedText(error, what))
      problems++
      const { requestId, hint } = error.details
      const id = requestId === undefined ? '' : ` (request ${requestId})`
      show('problem', `${what}${error.message}${id}; ${hint}`, { requestId, topic })
    },
    mended: (topic) =>
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

/** A job says how it goes on; of a single write that has left nobody knows what became of it. */
function interruptedText({ message, details }: CrmError, what: string): string {
  if (details.job !== undefined) return `${message}: ${details.hint}`
  if (!details.isInDoubt) return `${what}stopped before it was sent`
  return `${what}in doubt: stopped before the answer came; the server may have it all the same`
}

/** What is in doubt has not failed: what stands before the error must not say so. */
export function leadOf(error: unknown, { failed, open }: { readonly failed: string; readonly open: string }): string {
  if (!(error instanceof CrmError)) return failed
  const isOpen = error.code === 'in_doubt' || (error.code === 'interrupted' && error.details.isInDoubt === true)
  return isOpen ? open : failed
}

/** For a message that ends with what became of it. */
export function lookText(name: ServerList, id: string): string {
  return `crm ${name} get ${shellWord(id)} shows what became of it`
}
