import { completeLine, isCommandLine, lineRefusal, runLine, screenOf } from './actions/command-line.ts'
import { findActions, isNamedBy, runAction } from './actions/keymap.ts'
import { loadStages } from './actions/open-screen.ts'
import { lastDiffTop, lastHelpTop, lastTextTop } from './components/overlay.tsx'
import { submitForm } from './form/open-form.ts'
import { withInput } from './form/record-form.ts'
import type { Stroke } from './keys.ts'
import {
  type Choice,
  type ColumnChooser,
  type Confirmation,
  type Form,
  type Help,
  isChanged,
  type Overlay,
  type Palette,
  type Prompt,
  type Text,
} from './overlay.ts'
import { choosableColumns, offeredColumns, shownColumns } from './screens/all-screens.tsx'
import { isServerList, listOfScreen, type ServerList } from './screens.ts'
import { showOverlay } from './state.ts'
import { editText, inputText, insertText, type TextInput, takeCompletion, textInput } from './text/text-input.ts'
import type { Ui } from './ui.ts'

/** Lines per step; fewer than the smallest screen shows. */
const PAGE = 7

const STEPS: Readonly<Record<string, number>> = {
  ...{ j: 1, k: -1, g: -Infinity, home: -Infinity, G: Infinity, end: Infinity },
  ...{ space: PAGE, 'ctrl-d': PAGE, 'ctrl-f': PAGE, 'ctrl-u': -PAGE, 'ctrl-b': -PAGE },
}

const ARROWS: Readonly<Record<string, number>> = {
  ...{ down: 1, up: -1, 'ctrl-n': 1, 'ctrl-p': -1, pagedown: PAGE, pageup: -PAGE },
}

/** The lines that a key goes on where text is typed; 0 for a key that does not move. */
function arrowStep(chord: string): number {
  return ARROWS[chord] ?? 0
}

/** As arrowStep, where letters are keys. */
function stepOf(chord: string): number {
  return STEPS[chord] ?? arrowStep(chord)
}

/** Shows lines to read; what is open, such as a form, stays. */
export function openText(ui: Pick<Ui, 'store' | 'background'>, title: string, lines: readonly string[]): void {
  const { overlay } = ui.store.get()
  if (overlay && overlay.type !== 'text') return void ui.background.notices.wait(`${title}: ! shows the end of it`)
  showOverlay(ui, { type: 'text', title, lines, top: 0 })
}

export function openColumns(ui: Ui): void {
  const state = ui.store.get()
  const list = listOfScreen(state.screen)
  const shown = new Set(shownColumns(state, list).map(({ name }) => name))
  const vital = offeredColumns(state, list).filter(({ isVital }) => isVital)
  showOverlay(ui, {
    ...{ type: 'columns', list, index: 0, vital: vital.map(({ name }) => name) },
    items: choosableColumns(state, list).map((name) => ({ name, isShown: shown.has(name) })),
  })
}

function pressInColumns(ui: Ui, chooser: ColumnChooser, { chord }: Stroke): void {
  const { items, index, list } = chooser
  const edit = (part: Partial<ColumnChooser>) => showOverlay(ui, { ...chooser, ...part })
  const step = chord === 'space' ? 0 : stepOf(chord)
  if (step !== 0) return void edit({ index: clamp(index + step, items.length) })
  if (chord === 'esc' || chord === 'q') return void showOverlay(ui, undefined)
  if (chord === 'space') return void edit({ items: toggled(chooser) })
  const move = chord === 'J' || chord === '>' ? 1 : chord === 'K' || chord === '<' ? -1 : 0
  if (move !== 0)
    return void edit({ items: swapped(items, index, index + move), index: clamp(index + move, items.length) })
  if (chord !== 'r' && chord !== 'enter') return
  const chosen = chord === 'r' ? undefined : items.filter(({ isShown }) => isShown).map(({ name }) => name)
  ui.store.update((state) => ({
    ...{ ...state, overlay: undefined },
    chosenColumns: { ...state.chosenColumns, [list]: chosen },
  }))
}

type Items = ColumnChooser['items']

/** A vital column, and the last one that is shown, stay. */
function toggled({ items, index, vital }: ColumnChooser): Items {
  const item = items[index]
  if (!item) return items
  const isNeeded = vital.includes(item.name) || items.filter(({ isShown }) => isShown).length === 1
  return item.isShown && isNeeded ? items : items.with(index, { ...item, isShown: !item.isShown })
}

function swapped(items: Items, one: number, other: number): Items {
  const [first, second] = [items[one], items[other]]
  return first && second ? items.with(one, second).with(other, first) : items
}

export function openPalette(ui: Ui): void {
  const { store, world } = ui
  showOverlay(ui, { type: 'palette', input: textInput(), index: 0, profiles: [], complete: completeLine(ui) })
  // Completes from the moment that the names are read.
  void world.profiles?.names().then((profiles) => {
    store.update((state) =>
      state.overlay?.type === 'palette' ? { ...state, overlay: { ...state.overlay, profiles } } : state,
    )
  })
}

function pressInPalette(ui: Ui, palette: Palette, { chord, text }: Stroke): void {
  const line = inputText(palette.input)
  if (chord === 'esc') return void showOverlay(ui, undefined)
  if (chord === 'enter') return void enter(ui, palette, line)
  if (chord === 'tab' || chord === 'shift-tab') {
    const taken = takeCompletion(line, palette, chord === 'tab' ? 1 : -1)
    return void (taken && edit(ui, palette, { input: textInput(taken.text), taking: taken.taking }))
  }
  const count = findActions(ui.keymap, ui.store.get(), line).length
  const step = arrowStep(chord)
  const index = step === 0 ? palette.index : clamp(palette.index + step, count)
  if (index !== palette.index) return void showOverlay(ui, { ...palette, index })
  const input = typed(palette.input, { chord, text })
  if (input) edit(ui, palette, { input, taking: undefined })
}

function edit(ui: Ui, palette: Palette, part: { readonly input: TextInput; readonly taking: Palette['taking'] }): void {
  const line = inputText(part.input)
  const [first] = findActions(ui.keymap, ui.store.get(), line)
  // What only mentions the words is run after it was chosen.
  const index = isCommandLine(ui.store.get(), line) || isNamedBy(first, line) || !first ? 0 : -1
  showOverlay(ui, { ...palette, ...part, index, problem: undefined })
  const screen = screenOf(/^\s*(\w+) /.exec(line)?.[1] ?? '')
  const list = screen && listOfScreen(screen)
  if (list && isServerList(list) && inputText(palette.input) !== line) void loadWords(ui, list)
}

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
    return void showOverlay(ui, {
      ...palette,
      problem: `no command is named ${JSON.stringify(line.trim())}; ↓ chooses one that mentions it`,
    })
  showOverlay(ui, undefined)
  runAction(ui, action)
}

export function pressInOverlay(ui: Ui, overlay: Overlay, stroke: Stroke): void {
  switch (overlay.type) {
    case 'prompt':
      return void pressInPrompt(ui, overlay, stroke)
    case 'confirm':
      return void pressInConfirmation(ui, overlay, stroke)
    case 'choice':
      return void pressInChoice(ui, overlay, stroke)
    case 'form':
      return void pressInForm(ui, overlay, stroke)
    case 'palette':
      return void pressInPalette(ui, overlay, stroke)
    case 'help':
      return void pressInPage(ui, overlay, stroke.chord, lastHelpTop(ui.store.get(), ui.keymap))
    case 'columns':
      return void pressInColumns(ui, overlay, stroke)
    case 'text':
      return void pressInPage(ui, overlay, stroke.chord, lastTextTop(overlay, ui.store.get()))
  }
}

/** Undefined when the stroke changes no text. */
function typed(input: TextInput, { chord, text }: Stroke): TextInput | undefined {
  return text === undefined ? editText(input, chord) : insertText(input, text)
}

function pressInPrompt(ui: Ui, prompt: Prompt, stroke: Stroke): void {
  if (stroke.chord === 'esc') {
    showOverlay(ui, undefined)
    return void prompt.onCancel?.()
  }
  if (stroke.chord === 'enter') {
    const text = inputText(prompt.input)
    const problem = prompt.refusal?.(text)
    showOverlay(ui, problem === undefined ? undefined : { ...prompt, problem })
    if (problem === undefined) prompt.onSubmit(text)
    return
  }
  const step = stroke.chord === 'tab' ? 1 : stroke.chord === 'shift-tab' ? -1 : undefined
  const taken = step && takeCompletion(inputText(prompt.input), prompt, step)
  if (taken) changePrompt(ui, prompt, textInput(taken.text), taken.taking)
  if (step) return
  const isLine = prompt.hasLines && stroke.chord === 'ctrl-o'
  const input = isLine ? insertText(prompt.input, '\n', true) : typed(prompt.input, stroke)
  if (input) changePrompt(ui, prompt, input)
}

function changePrompt(ui: Ui, prompt: Prompt, input: TextInput, taking?: Prompt['taking']): void {
  showOverlay(ui, { ...prompt, input, problem: undefined, taking })
  prompt.onChange?.(inputText(input))
}

function pressInConfirmation(ui: Ui, overlay: Confirmation, stroke: Stroke): void {
  const { expected, isOnCancel, onConfirm, onCancel } = overlay
  const end = (then: (() => void) | undefined) => {
    showOverlay(ui, overlay.behind)
    then?.()
  }
  if (stroke.chord === 'esc') return void end(onCancel)
  if (!ui.isDrawn(overlay) || scrollDiff(ui, overlay, stroke)) return
  const { chord } = stroke
  if (expected !== undefined && (chord !== 'enter' || inputText(overlay.input) !== expected))
    return void pressInCount(ui, overlay, stroke)
  if (expected !== undefined || chord === 'y') return void end(onConfirm)
  if (chord === 'n' || chord === 'q') return void end(onCancel)
  if (chord === 'enter') return void end(isOnCancel ? onCancel : onConfirm)
  if (['left', 'right', 'tab', 'shift-tab'].includes(chord)) showOverlay(ui, { ...overlay, isOnCancel: !isOnCancel })
}

function pressInCount(ui: Ui, overlay: Confirmation, stroke: Stroke): void {
  const text = inputText(overlay.input)
  const given = text === '' ? 'nothing was typed' : JSON.stringify(text)
  const problem = `${given}, expected ${overlay.expected}; nothing was done`
  if (stroke.chord === 'enter') return void showOverlay(ui, { ...overlay, problem })
  const input = typed(overlay.input, stroke)
  if (input) showOverlay(ui, { ...overlay, input, problem: undefined })
}

/** False when the key does not scroll; letters are text where a count is typed. */
function scrollDiff(ui: Ui, overlay: Confirmation, { chord, text }: Stroke): boolean {
  const isText = overlay.expected !== undefined && (text !== undefined || chord === 'ctrl-u')
  const step = isText || !overlay.diff ? 0 : stepOf(chord)
  if (step === 0) return false
  const last = lastDiffTop(overlay, ui.store.get())
  showOverlay(ui, { ...overlay, top: clamp((overlay.top ?? 0) + step, last + 1) })
  return true
}

function pressInChoice(ui: Ui, choice: Choice, { chord }: Stroke): void {
  const { index, options, onChoose } = choice
  const chosen = options[index]
  if (chord === 'esc' || chord === 'q') {
    showOverlay(ui, choice.behind)
    return void choice.onCancel?.()
  }
  if (chord === 'enter' && chosen !== undefined) {
    showOverlay(ui, choice.behind)
    return void onChoose(chosen)
  }
  const step = stepOf(chord)
  if (step !== 0) showOverlay(ui, { ...choice, index: clamp(index + step, options.length) })
}

/** Typed text is dropped only after a question. */
function leaveForm(ui: Ui, form: Form): void {
  if (form.isSending || !form.fields.some(isChanged)) return void showOverlay(ui, undefined)
  const drop = 'Drop what was typed'
  showOverlay(ui, {
    type: 'choice',
    title: `${form.title}: not saved`,
    options: ['Go on typing', drop],
    index: 0,
    behind: form,
    onChoose: (option) => {
      if (option === drop) showOverlay(ui, undefined)
    },
  })
}

function pressInForm(ui: Ui, form: Form, stroke: Stroke): void {
  const { chord } = stroke
  const { fields, index, isSending } = form
  if (chord === 'esc') return void leaveForm(ui, form)
  if (isSending) return
  const isLast = index === fields.length - 1
  if (chord === 'ctrl-s' || (chord === 'enter' && isLast)) return void submitForm(ui, form)
  const step = chord === 'enter' || chord === 'tab' ? 1 : chord === 'shift-tab' ? -1 : arrowStep(chord)
  if (step !== 0) return void showOverlay(ui, { ...form, index: clamp(index + step, fields.length) })
  const field = fields[index]
  const input = field && typed(field.input, stroke)
  if (input) showOverlay(ui, withInput(form, input))
}

function pressInPage(ui: Ui, page: Help | Text, chord: string, last: number): void {
  const isClosing = ['esc', 'q', 'enter'].includes(chord) || (page.type === 'help' && chord === '?')
  if (isClosing) return void showOverlay(ui, undefined)
  const step = stepOf(chord)
  if (step !== 0) showOverlay(ui, { ...page, top: clamp(page.top + step, last + 1) })
}

/** Pasted text is inserted as text, and never read as keys. */
export function pasteInOverlay(ui: Ui, overlay: Overlay, text: string): void {
  if (overlay.type === 'prompt') {
    changePrompt(ui, overlay, insertText(overlay.input, text, overlay.hasLines))
  } else if (overlay.type === 'form') {
    const field = overlay.fields[overlay.index]
    if (!field || overlay.isSending) return
    showOverlay(ui, withInput(overlay, insertText(field.input, text)))
  } else if (overlay.type === 'palette') {
    edit(ui, overlay, { input: insertText(overlay.input, text), taking: undefined })
  }
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(index, count - 1))
}
