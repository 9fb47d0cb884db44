import { lastDiffTop, lastHelpTop } from './components/overlay.tsx'
import { withInput } from './form/record-form.ts'
import { submitForm } from './form/submit-form.ts'
import type { Stroke } from './keys.ts'
import {
  type Choice,
  type Confirmation,
  type Form,
  type Help,
  isChanged,
  type Overlay,
  type Prompt,
} from './overlay.ts'
import { pressInColumns } from './overlay-columns.ts'
import { pasteInPalette, pressInPalette } from './overlay-palette.ts'
import { arrowStep, stepOf } from './overlay-steps.ts'
import { pressInText } from './overlay-text.ts'
import { showOverlay } from './show-overlay.ts'
import { takeCompletion } from './text/take-completion.ts'
import { editText, inputText, insertText, type TextInput, textInput } from './text/text-input.ts'
import type { Ui } from './ui.ts'

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
      return void pressInHelp(ui, overlay, stroke)
    case 'columns':
      return void pressInColumns(ui, overlay, stroke)
    case 'text':
      return void pressInText(ui, overlay, stroke)
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
  if (stroke.chord === 'tab') return void completePrompt(ui, prompt, 1)
  if (stroke.chord === 'shift-tab') return void completePrompt(ui, prompt, -1)
  const isLine = prompt.hasLines && stroke.chord === 'ctrl-o'
  const input = isLine ? insertText(prompt.input, '\n', true) : typed(prompt.input, stroke)
  if (!input) return
  showOverlay(ui, { ...prompt, input, problem: undefined, taking: undefined })
  prompt.onChange?.(inputText(input))
}

function completePrompt(ui: Ui, prompt: Prompt, step: 1 | -1): void {
  const taken = takeCompletion(inputText(prompt.input), prompt, step)
  if (!taken) return
  showOverlay(ui, { ...prompt, input: textInput(taken.text), problem: undefined, taking: taken.taking })
  prompt.onChange?.(taken.text)
}

function pressInConfirmation(ui: Ui, overlay: Confirmation, stroke: Stroke): void {
  const { expected, isOnCancel, onConfirm, onCancel } = overlay
  const end = (then: (() => void) | undefined) => {
    showOverlay(ui, overlay.behind)
    then?.()
  }
  if (stroke.chord === 'esc') return void end(onCancel)
  if (!ui.isDrawn(overlay) || scrollDiff(ui, overlay, stroke)) return
  if (expected !== undefined) {
    const text = inputText(overlay.input)
    if (stroke.chord === 'enter' && text === expected) return void end(onConfirm)
    if (stroke.chord === 'enter') return void showOverlay(ui, { ...overlay, problem: notExpected(text, expected) })
    const input = typed(overlay.input, stroke)
    return void (input && showOverlay(ui, { ...overlay, input, problem: undefined }))
  }
  switch (stroke.chord) {
    case 'y':
      return void end(onConfirm)
    case 'n':
    case 'q':
      return void end(onCancel)
    case 'enter':
      return void end(isOnCancel ? onCancel : onConfirm)
    case 'left':
    case 'right':
    case 'tab':
    case 'shift-tab':
      return void showOverlay(ui, { ...overlay, isOnCancel: !isOnCancel })
  }
}

function notExpected(text: string, expected: string): string {
  return `${text === '' ? 'nothing was typed' : JSON.stringify(text)}, expected ${expected}; nothing was done`
}

/** False when the key does not scroll; letters are text where a count is typed. */
function scrollDiff(ui: Ui, overlay: Confirmation, { chord, text }: Stroke): boolean {
  const isText = overlay.expected !== undefined && (text !== undefined || chord === 'ctrl-u')
  const step = isText || !overlay.diff ? 0 : stepOf(chord)
  if (step === 0) return false
  const last = lastDiffTop(overlay, ui.store.get())
  showOverlay(ui, { ...overlay, top: Math.max(0, Math.min(last, (overlay.top ?? 0) + step)) })
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
  if (chord === 'ctrl-s' || (chord === 'enter' && isLast)) {
    return void submitForm(ui, form)
  }
  const step = chord === 'enter' || chord === 'tab' ? 1 : chord === 'shift-tab' ? -1 : arrowStep(chord)
  if (step !== 0) return void showOverlay(ui, { ...form, index: clamp(index + step, fields.length) })
  const field = fields[index]
  const input = field && typed(field.input, stroke)
  if (!input) return
  showOverlay(ui, withInput(form, input))
}

function pressInHelp(ui: Ui, help: Help, { chord }: Stroke): void {
  if (chord === 'esc' || chord === 'q' || chord === '?' || chord === 'enter') return void showOverlay(ui, undefined)
  const step = stepOf(chord)
  if (step === 0) return
  const last = lastHelpTop(ui.store.get(), ui.keymap)
  showOverlay(ui, { ...help, top: Math.max(0, Math.min(last, help.top + step)) })
}

/** Pasted text is inserted as text, and never read as keys. */
export function pasteInOverlay(ui: Ui, overlay: Overlay, text: string): void {
  if (overlay.type === 'prompt') {
    const input = insertText(overlay.input, text, overlay.hasLines)
    showOverlay(ui, { ...overlay, input, problem: undefined, taking: undefined })
    overlay.onChange?.(inputText(input))
  } else if (overlay.type === 'form') {
    const field = overlay.fields[overlay.index]
    if (!field || overlay.isSending) return
    showOverlay(ui, withInput(overlay, insertText(field.input, text)))
  } else if (overlay.type === 'palette') {
    pasteInPalette(ui, overlay, text)
  }
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(index, count - 1))
}
