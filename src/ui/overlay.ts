import type { NumericType } from '../core/resources/field.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import type { ListName, ServerList } from './screens.ts'
import { type Completable, inputText, type TextInput } from './text/text-input.ts'

/** Equal changes of one or more records: `company: Acme -> BULK (5,012)`. */
export interface DiffLine {
  /** `company`, or for a single record `Ada company`. */
  readonly label: string
  readonly old: string | undefined
  readonly new: string | undefined
  readonly count: number
}

export interface Prompt extends Completable {
  readonly type: 'prompt'
  readonly label: string
  readonly input: TextInput
  /** Called for each change, for a filter that is applied while typing. */
  readonly onChange?: (text: string) => void
  /** Ctrl-O begins a new line, and pasted lines stay lines; they are shown with ⏎ between them. */
  readonly hasLines?: true
  readonly enter: () => string
  readonly note?: () => string
  /** Why the text is rejected; the prompt then stays open, with this below it. */
  readonly refusal?: (text: string) => string | undefined
  readonly problem?: string | undefined
  readonly onSubmit: (text: string) => void
  readonly onCancel?: () => void
}

/** A question whose answer changes data. It starts on Cancel, and the key that opened it does not confirm it. */
export interface Confirmation {
  readonly type: 'confirm'
  readonly title: string
  readonly lines: readonly string[]
  readonly diff?: readonly DiffLine[]
  readonly top?: number
  readonly verb: string
  readonly isOnCancel: boolean
  /** The text that must be typed; undefined when the button suffices. */
  readonly expected: string | undefined
  readonly input: TextInput
  readonly problem?: string | undefined
  readonly onConfirm: () => void
  readonly onCancel?: () => void
  /** The form to show again when this is closed. */
  readonly behind?: Form | undefined
}

export interface Choice {
  readonly type: 'choice'
  readonly title: string
  readonly lines?: readonly string[]
  readonly options: readonly string[]
  readonly index: number
  readonly onChoose: (option: string) => void
  readonly onCancel?: () => void
  /** Called by Ctrl-C; undefined: like Esc. */
  readonly onInterrupt?: () => void
  readonly behind?: Form | undefined
}

export interface FormField {
  readonly name: string
  readonly input: TextInput
  /** The text when the form was opened; undefined for a new record. */
  readonly before: string | undefined
  /** `json`: a value of another type, such as `true`, in a member that the contract does not name. */
  readonly type: 'text' | 'json' | NumericType
  readonly problem: string | undefined
  /** The text that others gave it since the form was opened, after a conflict. */
  readonly theirs?: string | undefined
}

export interface Form {
  readonly type: 'form'
  /** Identifies this form, so that its answer does not change a later one. */
  readonly key: symbol
  readonly list: ServerList
  readonly record: CrmRecord | undefined
  readonly title: string
  readonly fields: readonly FormField[]
  readonly index: number
  readonly isSending: boolean
  readonly problem: string | undefined
  /** The record was changed by others; the next submit overwrites that. */
  readonly isConflict?: boolean
  readonly onSubmit: (fields: readonly FormField[]) => Promise<void>
}

export interface Palette extends Completable {
  readonly type: 'palette'
  readonly input: TextInput
  readonly index: number
  readonly profiles: readonly string[]
  readonly problem?: string | undefined
}

export type Help = { readonly type: 'help'; readonly top: number }

export interface ColumnChooser {
  readonly type: 'columns'
  readonly list: ListName
  readonly items: readonly { readonly name: string; readonly isShown: boolean }[]
  readonly index: number
  readonly vital: readonly string[]
}

export interface Text {
  readonly type: 'text'
  readonly title: string
  /** Safe for a terminal. */
  readonly lines: readonly string[]
  readonly top: number
}

export type Overlay = Prompt | Confirmation | Choice | Form | Palette | Help | ColumnChooser | Text

/** The open form, also behind a question. */
export function formIn(overlay: Overlay | undefined): Form | undefined {
  if (overlay?.type === 'form') return overlay
  return overlay?.type === 'choice' || overlay?.type === 'confirm' ? overlay.behind : undefined
}

/** Edits or closes the form with this key; any other overlay is unchanged. */
export function withForm(overlay: Overlay | undefined, key: symbol, edit: (form: Form) => Form | undefined) {
  if (overlay?.type === 'form') return overlay.key === key ? edit(overlay) : overlay
  if ((overlay?.type !== 'choice' && overlay?.type !== 'confirm') || overlay.behind?.key !== key) return overlay
  return { ...overlay, behind: edit(overlay.behind) }
}

export function isChanged({ input, before }: FormField): boolean {
  return inputText(input) !== (before ?? '')
}
