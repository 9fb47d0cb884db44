import { filterWords, matchWords, NO_MATCH } from '../list/finding.ts'
import { hiddenMarkCount, shownMarks } from '../list/list-state.ts'
import { isOnScreen, type ScreenName } from '../screens.ts'
import { currentList, type State, showOverlay, withCurrentList } from '../state.ts'
import type { Action, Keymap, Ui } from '../ui.ts'

export type Rebound = Readonly<Record<string, readonly string[]>>

export function createKeymap(actions: readonly Action[], rebound: Rebound): Keymap {
  const keysOf = (action: Action) => rebound[action.id] ?? action.keys
  const isOn = (action: Action, screen: ScreenName) => isOnScreen(action.screens, screen)
  return {
    actions,
    keysOf: (id) => {
      const action = actions.find((each) => each.id === id)
      return action ? keysOf(action) : []
    },
    lookUp: (screen, chords) => {
      const here = actions.filter((each) => isOn(each, screen))
      const action = here.find((each) => keysOf(each).includes(chords))
      if (action) return action
      return here.some((each) => keysOf(each).some((keys) => keys.startsWith(`${chords} `))) ? 'begins' : undefined
    },
  }
}

export function clashes({ actions, keysOf }: Keymap, screens: readonly ScreenName[]): readonly string[] {
  return screens.flatMap((screen) => {
    const here = actions.filter((action) => isOnScreen(action.screens, screen))
    const spelled = here.flatMap(({ id }) => keysOf(id).map((keys) => ({ id, keys })))
    return spelled.flatMap(({ id, keys }, index) =>
      spelled
        .slice(index + 1)
        .filter(
          (other) =>
            other.keys === keys || `${other.keys} `.startsWith(`${keys} `) || keys.startsWith(`${other.keys} `),
        )
        .map((other) => `${keys} on ${screen}: ${id} and ${other.id}`),
    )
  })
}

const SHOWN: Readonly<Record<string, string>> = {
  ...{ up: '↑', down: '↓', left: '←', right: '→', enter: 'Enter', esc: 'Esc', space: 'Space', tab: 'Tab' },
  ...{ 'shift-tab': 'Shift-Tab', pageup: 'PgUp', pagedown: 'PgDn', home: 'Home', end: 'End' },
}

/** The label of a key: `Ctrl-D` for `ctrl-d`. */
export function keyLabel(keys: string): string {
  return keys
    .split(' ')
    .map((chord) => SHOWN[chord] ?? chordLabel(chord))
    .join('')
}

function chordLabel(chord: string): string {
  const [, name, key = ''] = /^(ctrl|alt)-(.)$/.exec(chord) ?? []
  return name === undefined ? chord : `${name === 'ctrl' ? 'Ctrl' : 'Alt'}-${key.toUpperCase()}`
}

/** The actions of this screen whose title or id matches the text: names first, then screens, then words of titles. */
export function findActions({ actions }: Keymap, { screen }: State, text: string): readonly Action[] {
  const words = filterWords(text)
  const name = text.trim().toLowerCase()
  return actions
    .filter(
      ({ id, title, screens }) =>
        isOnScreen(screens, screen) && matchWords(`${title} ${id}`.toLowerCase(), words) !== NO_MATCH,
    )
    .map((action) => ({ action, rank: rankOf(action, name) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ action }) => action)
}

const BY_TITLE = 3

/** Whether the text is the beginning of a name of the action: Enter then runs it, and no action that only mentions the text. */
export function isNamedBy(action: Action | undefined, text: string): boolean {
  return action !== undefined && rankOf(action, text.trim().toLowerCase()) < BY_TITLE
}

function rankOf({ id, title }: Action, name: string): number {
  const goal = /^screen-(.+)$/.exec(id)?.[1]
  if (name === '' || id === name || goal?.startsWith(name)) return 0
  if ([id, id.replaceAll('-', ' '), ...id.split('-')].some((each) => each.startsWith(name))) return 1
  return title.toLowerCase().startsWith(name) ? 2 : BY_TITLE
}

export function runById(ui: Ui, id: string): void {
  const action = ui.keymap.actions.find((each) => each.id === id)
  if (action) runAction(ui, action)
}

export function runAction(ui: Ui, action: Action): void {
  const refusal = action.refusal?.(ui.store.get())
  if (refusal !== undefined) return void ui.background.notices.wait(`${action.title}: ${refusal}`)
  if (action.isOfMarks && hiddenMarkCount(currentList(ui.store.get())) > 0) return void askHidden(ui, action)
  action.run(ui)
}

/** Marks that the filter hides are easily forgotten. */
function askHidden(ui: Ui, { title, run }: Action): void {
  const list = currentList(ui.store.get())
  const hidden = hiddenMarkCount(list)
  const shown = list.marks.size - hidden
  const all = `All ${list.marks.size} marked rows`
  const some = `Only the ${shown} shown; unmarks the others`
  showOverlay(ui, {
    type: 'choice',
    title: `${hidden} of ${list.marks.size} marked rows ${hidden === 1 ? 'is' : 'are'} not shown. ${title}: which?`,
    options: [all, ...(shown > 0 ? [some] : []), 'Cancel'],
    index: shown > 0 ? 2 : 1,
    onChoose: (option) => {
      if (option === some) {
        ui.store.update((state) => withCurrentList(state, (now) => ({ ...now, marks: shownMarks(now) })))
      }
      if (option !== 'Cancel') run(ui)
    },
  })
}
