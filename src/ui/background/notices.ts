import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { safeText } from '../../output/safe-text.ts'
import { withRows } from '../screens/all-screens.tsx'
import type { ServerList } from '../screens.ts'
import { type State, type StateStore, type Toast, withList } from '../state.ts'

const SHOWN_SECONDS = 8
const MOST_SHOWN = 3

export type Notices = ReturnType<typeof createNotices>

export function createNotices(store: StateStore<State>, now: () => number, signal: AbortSignal) {
  let count = 0
  const timers = new Set<NodeJS.Timeout>()
  let problems = 0
  let say: ((line: string) => void) | undefined
  function show(type: Toast['type'], text: string, { requestId, topic, remedy }: ToastDetails = {}): void {
    const whole = `${text}${remedy === undefined ? '' : `; ${remedy}`}`
    if (say) return void say(safeText(whole))
    const id = ++count
    const entry = {
      id: String(id),
      time: new Date(now()).toTimeString().slice(0, 8),
      message: whole,
      ...(requestId !== undefined && { request_id: requestId }),
    }
    const toast = { id, type, text: safeText(text), remedy: remedy && safeText(remedy), seconds: SHOWN_SECONDS, topic }
    store.update((state) => {
      const toasts = [...state.toasts, toast].slice(-MOST_SHOWN)
      const next = withRows({ ...state, toasts }, 'log', [entry, ...state.lists.log.rows])
      // The cursor follows its row only while the log is shown; it opens on the newest message.
      return state.screen === 'log' ? next : withList(next, 'log', (log) => ({ ...log, cursor: 0, top: 0 }))
    })
    const timer = setInterval(() => store.update((state) => ticked(state, id, () => end(timer))), 1_000)
    timers.add(timer)
  }
  function end(timer: NodeJS.Timeout): void {
    clearInterval(timer)
    timers.delete(timer)
  }
  /** Shows a CrmError. Any other error is a bug, and is rethrown. */
  function problem(error: unknown, what: string, topic?: string): void {
    // A wait before the first request is aborted with the reason of the signal itself.
    if (signal.aborted && error === signal.reason) return void say?.(`${what}stopped before anything more was sent`)
    if (!(error instanceof CrmError)) throw error
    if (error.code === 'interrupted') return void say?.(interruptedText(error, what))
    problems++
    const { requestId, hint } = error.details
    const id = requestId === undefined ? '' : ` (request ${requestId})`
    show('problem', `${what}${error.message}${id}`, { requestId, topic, remedy: hint })
  }
  /** Undefined after an error, which is shown. */
  async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      problem(error, what)
      return undefined
    }
  }
  return {
    /** `more` is shown only while there is a screen. */
    done: (text: string, more = '') => show('done', say ? text : `${text}${more}`),
    wait: (text: string, more = '') => show('wait', say ? text : `${text}${more}`),
    /** A failure that is no error of crm: of a program of the user. */
    failed: (text: string) => show('problem', text),
    problem,
    attempt,
    /** Removes the messages about a topic that works again; the log keeps them. */
    recovered: (topic: string) =>
      store.update((state) =>
        state.toasts.some((toast) => toast.topic === topic)
          ? { ...state, toasts: state.toasts.filter((toast) => toast.topic !== topic) }
          : state,
      ),
    /** Removes the oldest message; false when there is none. */
    dismiss: () => {
      if (store.get().toasts.length === 0) return false
      store.update((state) => ({ ...state, toasts: state.toasts.slice(1) }))
      return true
    },
    problemCount: () => problems,
    /** After the screens are closed: messages become lines on the terminal, including those about a stop. */
    leaveScreen: (write: (line: string) => void) => {
      say = write
    },
    close: () => {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

type ToastDetails = Readonly<Partial<Record<'requestId' | 'topic' | 'remedy', string | undefined>>>

function ticked(state: State, id: number, end: () => void): State {
  const toast = state.toasts.find((each) => each.id === id)
  if (!toast || toast.seconds <= 1) end()
  if (!toast) return state
  const seconds = toast.seconds - 1
  const next = seconds < 1 ? [] : [{ ...toast, seconds }]
  return { ...state, toasts: state.toasts.flatMap((each) => (each === toast ? next : [each])) }
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

export function lookText(name: ServerList, id: string): string {
  return `crm ${name} get ${shellWord(id)} shows whether it was applied`
}
