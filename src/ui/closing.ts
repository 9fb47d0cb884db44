import { CrmError, Uncaught, type WatchProcess } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Background } from './background/background.ts'
import { columnsOf } from './screens/all-screens.tsx'
import { allLists, allScreens, type ScreenName, SESSION_SCREENS } from './screens.ts'
import { type State, type StateStore, withList } from './state.ts'
import { changesText, formText } from './text/change-text.ts'

export interface Closing {
  /** Synchronous: a terminal that closes sends a second signal, which ends the process at once. */
  keep(): void
  /** After the screens are closed: reports what was sent, kept or dropped, and how to go on. */
  end(isKept: boolean): Promise<void>
  /** At the exit of the process: names the requests without an answer. */
  lastWords(): void
}

interface Parts {
  readonly store: Pick<StateStore<State>, 'get'>
  readonly background: Background
  readonly profileFlag: string | undefined
  readonly say: (line: string) => void
}

/** A shorter wait is not mentioned. */
const LONG_MS = 300

export function createClosing({ store, background, profileFlag, say }: Parts): Closing {
  function attempt(keep: () => number): number | CrmError {
    try {
      return keep()
    } catch (error) {
      if (error instanceof CrmError) return error
      throw error
    }
  }

  function droppedLines(): readonly string[] {
    return background.kept.pendingForm() ? ['1 form not saved, and discarded.'] : []
  }

  function releasedLines(): readonly string[] {
    const form = background.kept.pendingForm()
    const { changes } = store.get().kept
    const kept = attempt(background.kept.release)
    if (typeof kept !== 'number') {
      const { message, details } = kept
      // A form that could not be written to a file is printed on the terminal.
      return form ? [`1 form not saved, and not kept: ${message}; ${details.hint}`, `  ${formText(form)}`] : []
    }
    if (kept === 0) return []
    const command = `crm browse${profileFlag === undefined ? '' : ` -p ${shellWord(profileFlag)}`}`
    // Not called unsent: a form without an answer may have been applied.
    return [`${changesText(changes.length, kept - changes.length)} kept: ${command} offers it again.`]
  }

  async function settle(): Promise<void> {
    const late = setTimeout(() => say('Waiting for the answers to what was sent; Ctrl-C ends crm at once.'), LONG_MS)
    await background.underWay.settled()
    clearTimeout(late)
  }

  return {
    keep: () => void attempt(background.kept.hold),
    lastWords: () => {
      for (const { what } of store.get().underWay) {
        say(`In doubt: ${what}: ended before the answer; the server may have applied it`)
      }
    },
    end: async (isKept) => {
      background.notices.leaveScreen(say)
      await settle()
      background.notices.close()
      for (const line of isKept ? releasedLines() : droppedLines()) say(line)
    },
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

interface Ending {
  /** Resolves after an uncaught error. */
  readonly broken: Promise<void>
  /** That error; undefined when there is none. */
  bug(): Uncaught | undefined
  /** Treats an error as uncaught. */
  breakWith(error: unknown): void
  /** Stops watching. */
  close(): void
}

interface EndingParts {
  /** Undefined when the process is shared with other code. */
  readonly watchProcess: WatchProcess | undefined
  /** Called first after an uncaught error, and at the exit of the process. */
  readonly keep: () => void
  /** Stops the screens and their requests. */
  readonly stop: () => void
  /** Called at the exit of the process. */
  readonly lastWords: () => void
}

/** Without it an uncaught error would end the process, and lose the text of a form. */
export function watchEnding({ watchProcess, keep, stop, lastWords }: EndingParts): Ending {
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
