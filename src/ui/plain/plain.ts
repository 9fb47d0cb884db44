import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Background } from '../background/background.ts'
import type { Boards } from '../board.ts'
import type { State, StateStore } from '../state.ts'
import type { World } from '../ui.ts'

export const PLAIN_LISTS = ['contacts', 'deals'] as const

export const PLAIN_SCREENS = [...PLAIN_LISTS, 'pipelines', 'events', 'jobs', 'webhooks'] as const

export type PlainScreen = (typeof PLAIN_SCREENS)[number]

/** The rows that were said, by their numbers, which stay theirs until the list begins again. */
export interface Listing {
  screen(): PlainScreen
  /** Says the first rows of a list, or of the deals of one stage. */
  open(screen: PlainScreen, stage?: string): Promise<void>
  /** Says the next rows. */
  next(): Promise<void>
  find(text: string): Promise<void>
  /** Requests the list again. */
  reload(): Promise<void>
  loadAll(): Promise<void>
  /** The current row with this number; undefined if there is none. */
  row(number: number): CrmRecord | undefined
  /** Every loaded row that is found. */
  found(): readonly CrmRecord[]
}

/** What a command of the line mode works on: state and work of the screens, and lines instead of a frame. */
export interface Plain {
  readonly store: StateStore<State>
  readonly background: Background
  readonly boards: Boards
  readonly world: Pick<World, 'openApi'>
  readonly say: (line: string) => void
  /** Undefined after the end of the input. */
  readonly ask: (question: string) => Promise<string | undefined>
  readonly listing: Listing
}

/** A command of the line mode; help is made from these. */
export interface PlainCommand {
  readonly word: string
  /** What follows the word, for help. */
  readonly usage: string
  readonly title: string
  /** Undefined: everywhere. */
  readonly screens?: readonly PlainScreen[]
  /** Why it cannot run. */
  readonly refusal?: (state: State) => string | undefined
  readonly run: (plain: Plain, rest: string) => Promise<void> | void
}
