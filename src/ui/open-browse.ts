import { setImmediate as nextTurn } from 'node:timers/promises'
import { CrmError, type WatchProcess } from '../core/errors.ts'
import { isLoopback } from '../core/http-rules.ts'
import { type BrowseDocument, openBrowseDocument } from '../settings/browse-document.ts'
import { readBrowseKeys } from '../settings/browse-keys.ts'
import { openKeptChanges } from '../settings/kept-changes.ts'
import { ACTIONS } from './actions/all-actions.ts'
import { restoreKept } from './actions/kept.ts'
import { clashes, createKeymap } from './actions/keymap.ts'
import { openScreen } from './actions/open-screen.ts'
import { type AppSession, type DrawnState, openApp, openDrawnState, type UiTerminal } from './app.tsx'
import { type Background, createBackground } from './background/background.ts'
import { learnOffered } from './background/learn-offered.ts'
import { watchHistory, watchNotes } from './background/pane.ts'
import type { BackgroundWorld } from './background/parts.ts'
import { createBoards } from './board.ts'
import { holdForm, rememberedScreen, sayEnd, toRemember, watchEnding, withRemembered } from './closing.ts'
import { askBackground, type Look, lookFrom, THEME_CHOICES, type ThemeChoice, themeOf } from './look/theme.ts'
import { openMouse } from './mouse.ts'
import { withFirstColumns } from './screens/all-screens.tsx'
import { allScreens, type ScreenName, SESSION_SCREENS } from './screens.ts'
import { createStore, initialState, type ServerPlace, type State, type StateStore, withNewLists } from './state.ts'
import type { Keymap, Profiles, Ui, World } from './ui.ts'
import { userActions } from './user-keys/user-actions.ts'

export interface BrowseOptions extends Omit<BackgroundWorld, 'changes' | 'refreshEveryMs'> {
  /** Undefined: the screen last used with this profile. */
  readonly screen: ScreenName | undefined
  readonly place: ServerPlace
  /**
   * Makes the objects that only this server has resources of this process, for which `openApi` then has a client. False where there
   * are none that were not known. Undefined: never.
   */
  readonly learnObjects: (() => Promise<boolean>) | undefined
  readonly greeting: readonly string[]
  readonly profiles: Profiles | undefined
  readonly isMouseOn: boolean
  readonly sendsTo: string | undefined
  readonly hasColor: boolean
  readonly profileFlag: string | undefined
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly interrupt: () => void
  readonly pauseProcess: (() => Promise<void>) | undefined
  readonly runCrm: World['runCrm']
  /** Ctrl-C stops nothing here while another program has the terminal; undefined when the process is shared with other code. */
  readonly lendTerminal: ((during: () => Promise<void>) => Promise<void>) | undefined
  readonly watchProcess: WatchProcess | undefined
  /** The address of the server whose changes are kept; undefined without a server. */
  readonly server: string | undefined
  readonly say: (line: string) => void
  readonly onNotes: (write: (line: string) => void) => void
}

export interface Next {
  readonly profile: string
  readonly screen: ScreenName
  readonly isMouseOn: boolean
  readonly lines: readonly string[]
}

/**
 * Shows the screens until they are left or the signal is aborted; resolves with the profile to open next, if one was chosen. Unsent
 * changes are kept, unless they were dropped.
 */
export async function openBrowse(given: BrowseOptions): Promise<Next | undefined> {
  let next: string | undefined
  const lines: string[] = []
  const options: BrowseOptions = { ...given, say: (line) => (next === undefined ? given.say(line) : lines.push(line)) }
  const { stdin, stdout, place, env, server } = options
  const document = openBrowseDocument(env)
  const { keymap, problem } = await keymapWithUserKeys(await readRebound(document), env)
  const left = await document.left(place.text)
  const first = await readFirst(document)
  const screen = options.screen ?? first ?? rememberedScreen(left) ?? 'contacts'
  const boards = createBoards()
  const look = lookFrom(env, options.hasColor, await readTheme(document))
  const fresh = withFirstColumns(initialState(screen, place, { columns: stdout.columns, rows: stdout.rows }))
  const home = { ...fresh.home, isFirst: first === 'home' }
  const store = createStore(
    withRemembered({ ...fresh, look, home, saved: await document.saved(), isMouseOn: options.isMouseOn }, left),
  )
  const changes = server === undefined ? undefined : openKeptChanges(env, server)
  const background = createBackground(store, { ...options, changes, refreshEveryMs: await refreshOf(document, server) })
  options.onNotes((line) => background.notices.wait(line))
  const world = worldOf(options, document)
  let isKept = true
  const mouse = openMouse(store, stdin, world.writeRaw)
  const makeUi = (terminal: UiTerminal): Ui => {
    const quit = (pending: 'keep' | 'discard' = 'keep', profile?: string) => {
      isKept = pending === 'keep'
      next = profile
      // The abort closes the screens, too.
      if (profile === undefined && store.get().underWay.length > 0) options.interrupt()
      else terminal.quit()
    }
    const lend = options.lendTerminal ?? ((during) => during())
    const suspend = (during: () => Promise<void>) =>
      background.following.without(() => terminal.suspend(() => mouse.without(() => lend(() => unread(stdin, during)))))
    const ui: Ui = { ...terminal, store, world, background, keymap, boards, suspend, quit }
    mouse.connect(ui)
    openScreen(ui, screen)
    for (const line of options.greeting) background.notices.wait(line)
    if (problem) background.notices.problem(problem, '')
    void restoreKept(ui)
    void learnAll(store, options)
    return ui
  }
  const stopNotes = watchNotes(store, options.openApi, boards)
  const stopHistory = watchHistory(store, options.openApi, boards)
  const onAnswer = (background: Look['background']) =>
    store.update((state) => ({ ...state, look: { ...state.look, background } }))
  const isAsked = look.choice === 'auto' && look.colors === '256'
  const stopAsking = isAsked ? askBackground({ stdin, stdout, onAnswer }) : undefined
  const drawn = openDrawnState(store, stdout)
  const drawingOf = (state: State) => ({ keymap, boards, theme: themeOf(state.look) })
  const open = () => openApp({ drawn, drawingOf, makeUi }, { stdin, stdout })
  const stops = [stopNotes, stopHistory, stopAsking]
  await untilLeft({ options, store, background, drawn, open, isKept: () => isKept, endMouse: mouse.end }).finally(() =>
    stops.map((stop) => stop?.()),
  )
  await document.remember(place.text, toRemember(store.get()))
  const { screen: lastScreen, isMouseOn: isMouseNow } = store.get()
  return next === undefined ? undefined : { profile: next, screen: lastScreen, isMouseOn: isMouseNow, lines }
}

/** What the server offers, first of the known objects, so that none of them waits for the others. */
async function learnAll(store: StateStore<State>, { openApi, learnObjects }: BrowseOptions): Promise<void> {
  await learnOffered(store, openApi)
  if (!learnObjects || !(await learnObjects())) return
  store.update((state) => withFirstColumns(withNewLists(state)))
  await learnOffered(store, openApi)
}

/** Ink stops to listen, but Node goes on reading, and would take the first keys from the other program. */
async function unread(stdin: NodeJS.ReadStream, during: () => Promise<void>): Promise<void> {
  // A stream that has lost its listener can be paused in the next turn, and stops in the one after. Ink resumes it.
  await nextTurn()
  stdin.pause()
  await nextTurn()
  await during()
}

function worldOf(options: BrowseOptions, document: BrowseDocument): World {
  const { openApi, env, now, sendsTo, profileFlag, pauseProcess, profiles, runCrm, stdout } = options
  return {
    ...{ openApi, env, now, sendsTo, profileFlag, pauseProcess, profiles, runCrm },
    writeRaw: (text) => void stdout.write(text),
    ...document,
  }
}

interface Open {
  readonly options: BrowseOptions
  readonly store: StateStore<State>
  readonly background: Background
  readonly drawn: DrawnState
  readonly open: () => AppSession
  readonly isKept: () => boolean
  readonly endMouse: () => void
}

/** An uncaught error closes the screens, too, and is rethrown when changes are kept. */
async function untilLeft({ options, store, background, drawn, open, isKept, endMouse }: Open): Promise<void> {
  const { signal, interrupt, watchProcess, profileFlag, say } = options
  const keep = () => {
    if (isKept()) holdForm({ background })
  }
  let session: AppSession | undefined
  const stop = () => {
    keep()
    session?.unmount()
    store.update((state) => ({ ...state, leaving: undefined }))
  }
  const stopAll = () => {
    interrupt()
    stop()
  }
  const lastWords = () => {
    endMouse()
    session?.unmount()
    for (const { what } of store.get().underWay)
      say(`In doubt: ${what}: ended before the answer; the server may have applied it`)
  }
  const ending = watchEnding({ watchProcess, keep, stop: stopAll, lastWords })
  signal.addEventListener('abort', stop)
  try {
    session = open()
    if (signal.aborted) stop()
    await Promise.race([session.waitUntilExit().catch(ending.breakWith), ending.broken])
  } finally {
    endMouse()
    drawn.close()
    signal.removeEventListener('abort', stop)
    background.following.close()
    background.events.close()
    background.jobs.close()
    background.lists.cancel()
    await background.shell.close()
    await sayEnd({ store, background, profileFlag, say }, isKept()).finally(ending.close)
  }
  const bug = ending.bug()
  if (bug) throw bug
}

async function readFirst(document: BrowseDocument): Promise<ScreenName | undefined> {
  const named = await document.first()
  const known = allScreens().filter((each) => !SESSION_SCREENS.includes(each))
  const screen = known.find((each) => each === named)
  if (screen !== undefined || named === undefined) return screen
  throw unknownSetting('first', named, known, 'B on Home sets it')
}

function unknownSetting(name: string, value: string, known: readonly string[], how: string): CrmError {
  const problem = `${name} of browse.json is ${JSON.stringify(value)}, expected ${known.join(', ')}`
  return new CrmError('invalid_input', problem, { hint: `crm config path shows the folder; ${how}` })
}

const ON_LOOPBACK_S = 10

/** Elsewhere never, unless it is asked for: vendors count requests, and a screen may stay open for days. */
async function refreshOf(document: BrowseDocument, server: string | undefined): Promise<number | undefined> {
  const isHere = server !== undefined && isLoopback(new URL(server).hostname)
  const seconds = (await document.refresh()) ?? (isHere ? ON_LOOPBACK_S : 0)
  return server === undefined || seconds === 0 ? undefined : seconds * 1_000
}

async function readTheme(document: BrowseDocument): Promise<ThemeChoice> {
  const named = (await document.theme()) ?? 'auto'
  const choice = THEME_CHOICES.find((each) => each === named)
  if (choice) return choice
  throw unknownSetting('theme', named, THEME_CHOICES, 't in the commands of : chooses one')
}

type Rebound = Readonly<Record<string, readonly string[]>>

/** Of earlier versions: their keys are ignored. */
const ENDED_ACTIONS = ['commit', 'unstage', 'kept-form', 'load-all-deals']

/** Configured keys with two actions are rejected before anything is drawn. */
async function readRebound(document: BrowseDocument): Promise<Rebound> {
  const given = await document.keys()
  const rebound = Object.fromEntries(Object.entries(given).filter(([id]) => !ENDED_ACTIONS.includes(id)))
  const unknown = Object.keys(rebound).find((id) => !ACTIONS.some((action) => action.id === id))
  const [problem] =
    unknown === undefined ? clashes(createKeymap(ACTIONS, rebound), allScreens()) : [`there is no action ${unknown}`]
  if (problem === undefined) return rebound
  throw new CrmError('invalid_input', `keys of browse.json cannot be used: ${problem}`, {
    hint: 'crm config path shows the folder; docs/browse.md lists the actions',
  })
}

/** Without any key of `browse.yaml` if there is a mistake in it, which the screens show. */
async function keymapWithUserKeys(
  rebound: Rebound,
  env: BrowseOptions['env'],
): Promise<{ readonly keymap: Keymap; readonly problem?: CrmError }> {
  const own = createKeymap(ACTIONS, rebound)
  try {
    const file = await readBrowseKeys(env)
    if (!file) return { keymap: own }
    // Loads the YAML parser.
    const { readUserKeys } = await import('./user-keys/read-user-keys.ts')
    const actions = userActions(readUserKeys(file.text, file.path, own))
    return { keymap: createKeymap([...ACTIONS, ...actions], rebound) }
  } catch (error) {
    if (error instanceof CrmError) return { keymap: own, problem: error }
    throw error
  }
}
