import { isCommandLine, lineRefusal, runLine, screenOf } from './actions/command-line.ts'
import { completeLine } from './actions/complete-line.ts'
import { findActions, isNamedBy, runAction } from './actions/keymap.ts'
import { loadStages } from './actions/open-screen.ts'
import type { Stroke } from './keys.ts'
import type { Palette } from './overlay.ts'
import { arrowStep } from './overlay-steps.ts'
import { isServerList, listOfScreen, type ServerList } from './screens.ts'
import { showOverlay } from './show-overlay.ts'
import { takeCompletion } from './text/take-completion.ts'
import { editText, inputText, insertText, type TextInput, textInput } from './text/text-input.ts'
import type { Ui } from './ui.ts'

/** Asks for the name of a command, or a line such as `deals stage=Won`. */
export function openPalette(ui: Ui): void {
  const { store, world } = ui
  showPalette(ui, { type: 'palette', input: textInput(), index: 0, profiles: [], complete: completeLine(ui) })
  // Completes from the moment that the names are read.
  void world.profiles?.names().then((profiles) => {
    store.update((state) =>
      state.overlay?.type === 'palette' ? { ...state, overlay: { ...state.overlay, profiles } } : state,
    )
  })
}

export function pressInPalette(ui: Ui, palette: Palette, { chord, text }: Stroke): void {
  const line = inputText(palette.input)
  if (chord === 'esc') return void showOverlay(ui, undefined)
  if (chord === 'enter') return void enter(ui, palette, line)
  if (chord === 'tab' || chord === 'shift-tab') {
    const taken = takeCompletion(line, palette, chord === 'tab' ? 1 : -1)
    return void (taken && edit(ui, palette, { input: textInput(taken.text), taking: taken.taking }))
  }
  const count = findActions(ui.keymap, ui.store.get(), line).length
  const index =
    arrowStep(chord) === 0 ? palette.index : Math.max(0, Math.min(palette.index + arrowStep(chord), count - 1))
  if (index !== palette.index) return void showPalette(ui, { ...palette, index })
  const input = text === undefined ? editText(palette.input, chord) : insertText(palette.input, text)
  if (input) edit(ui, palette, { input, taking: undefined })
}

/** Inserts pasted text, which is never read as keys. */
export function pasteInPalette(ui: Ui, palette: Palette, text: string): void {
  edit(ui, palette, { input: insertText(palette.input, text), taking: undefined })
}

function edit(ui: Ui, palette: Palette, part: { readonly input: TextInput; readonly taking: Palette['taking'] }): void {
  const line = inputText(part.input)
  const [first] = findActions(ui.keymap, ui.store.get(), line)
  // What only mentions the words is run after it was chosen.
  const index = isCommandLine(ui.store.get(), line) || isNamedBy(first, line) || !first ? 0 : -1
  showPalette(ui, { ...palette, ...part, index, problem: undefined })
  const screen = screenOf(/^\s*(\w+) /.exec(inputText(part.input))?.[1] ?? '')
  const list = screen && listOfScreen(screen)
  if (list && isServerList(list) && inputText(palette.input) !== inputText(part.input)) void loadWords(ui, list)
}

/** Values of loaded rows, and the stages, are proposed. */
async function loadWords(ui: Ui, list: ServerList): Promise<void> {
  const { rows, isComplete, loading } = ui.store.get().lists[list]
  if (rows.length === 0 && !isComplete && loading === 'idle') await ui.background.lists.more(list)
  if (list === 'deals') await loadStages(ui)
}

function enter(ui: Ui, palette: Palette, line: string): void {
  if (palette.index === 0 && isCommandLine(ui.store.get(), line)) {
    const problem = lineRefusal(ui, line)
    showOverlay(ui, problem === undefined ? undefined : { ...palette, problem })
    return void (problem === undefined && runLine(ui, line))
  }
  const action = findActions(ui.keymap, ui.store.get(), line)[palette.index]
  const [only, ...others] = action ? [] : (palette.complete?.(line) ?? [])
  if (only !== undefined && others.length === 0) {
    showOverlay(ui, undefined)
    return void runLine(ui, only.trim())
  }
  if (palette.index < 0 || !action)
    return void showPalette(ui, {
      ...palette,
      problem: `no command is named ${JSON.stringify(line.trim())}; ↓ chooses one that mentions it`,
    })
  showOverlay(ui, undefined)
  runAction(ui, action)
}

function showPalette(ui: Ui, palette: Palette): void {
  showOverlay(ui, palette)
}
