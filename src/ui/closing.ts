import { CrmError, Uncaught, type WatchProcess } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Background } from './background/background.ts'
import { columnsOf } from './screens/all-screens.tsx'
import { allLists, allScreens, type ScreenName, SESSION_SCREENS } from './screens.ts'
import { type State, type StateStore, withList } from './state.ts'
import { changesText, formText } from './text/change-text.ts'

/** A shorter wait is not mentioned. */
const LONG_MS = 300

interface Closed {
  readonly store: StateStore<State>
  readonly background: Background
  readonly profileFlag: string | undefined
  readonly say: (line: string) => void
}

/** Synchronous: a terminal that closes sends a second signal, which ends the process at once. What fails is said at the end. */
export function holdForm({ background }: Pick<Closed, 'background'>): void {
  try {
    background.kept.hold()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
  }
}

/** After the screens are closed: says what was sent, kept or dropped, and how to go on. */
export async function sayEnd({ store, background, profileFlag, say }: Closed, isKept: boolean): Promise<void> {
  const { notices, underWay, kept } = background
  notices.leaveScreen(say)
  const late = setTimeout(() => say('Waiting for the answers to what was sent; Ctrl-C ends crm at once.'), LONG_MS)
  await underWay.settled()
  clearTimeout(late)
  notices.close()
  const form = kept.pendingForm()
  if (!isKept) return form && say('1 form not saved, and discarded.')
  const { changes } = store.get().kept
  try {
    const count = kept.release()
    const command = `crm browse${profileFlag === undefined ? '' : ` -p ${shellWord(profileFlag)}`}`
    // Not called unsent: a form without an answer may have been applied.
    if (count > 0) say(`${changesText(changes.length, count - changes.length)} kept: ${command} offers it again.`)
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    if (!form) return
    say(`1 form not saved, and not kept: ${error.message}; ${error.details.hint}`)
    say(`  ${formText(form)}`)
  }
}

export function toRemember({ screen, lists, chosenColumns }: State): JsonObject {
  const left = allLists()
    .filter((name) => !SESSION_SCREENS.includes(name))
    .map((name) => {
      const { column, sort, isDetailOpen } = lists[name]
      const sorted = sort ? { sort: sort.by, descending: sort.isDescending } : {}
      const chosen = chosenColumns[name]
      const columns = chosen ? { columns: [...chosen] } : {}
      return [name, { column, detail: isDetailOpen, ...sorted, ...columns }] as const
    })
  return { screen: SESSION_SCREENS.includes(screen) ? 'contacts' : screen, ...Object.fromEntries(left) }
}

export function rememberedScreen(left: JsonObject): ScreenName | undefined {
  return allScreens().find((screen) => screen === left.screen && !SESSION_SCREENS.includes(screen))
}

/** Ignores values of other versions that this version does not recognise. */
export function withRemembered(state: State, left: JsonObject): State {
  const restored = allLists().reduce((before, name) => {
    const part = left[name]
    if (!isJsonObject(part)) return before
    const isColumn = (value: unknown) => columnsOf(name).some((column) => column.name === value)
    const { column, sort, descending, detail } = part
    return withList(before, name, (list) => ({
      ...list,
      column: typeof column === 'string' && isColumn(column) ? column : list.column,
      sort: typeof sort === 'string' && isColumn(sort) ? { by: sort, isDescending: descending === true } : undefined,
      isDetailOpen: typeof detail === 'boolean' ? detail : list.isDetailOpen,
    }))
  }, state)
  return { ...restored, chosenColumns: Object.fromEntries(allLists().map((name) => [name, chosenIn(left[name])])) }
}

function chosenIn(part: JsonValue | undefined): readonly string[] | undefined {
  const columns = isJsonObject(part) ? part.columns : undefined
  const names = Array.isArray(columns) ? columns.filter((each) => typeof each === 'string') : []
  return names.length > 0 ? names : undefined
}

interface Watched {
  /** Undefined when the process is shared with other code. */
  readonly watchProcess: WatchProcess | undefined
  /** Called first after an uncaught error, and at the exit of the process. */
  readonly keep: () => void
  readonly stop: () => void
  /** Called at the exit of the process. */
  readonly lastWords: () => void
}

/** Without it an uncaught error would end the process, and lose the text of a form. */
export function watchEnding({ watchProcess, keep, stop, lastWords }: Watched) {
  const broken = Promise.withResolvers<void>()
  let bug: Uncaught | undefined
  const breakWith = (error: unknown) => {
    // Later errors are consequences of the first.
    if (bug) return
    bug = new Uncaught(error)
    try {
      keep()
    } finally {
      broken.resolve()
      stop()
    }
  }
  const onExit = () => {
    keep()
    lastWords()
  }
  const close = watchProcess?.({ uncaught: breakWith, exit: onExit })
  return { broken: broken.promise, bug: () => bug, breakWith, close: () => close?.() }
}
