import type { Confirmation } from '../overlay.ts'
import { showOverlay } from '../show-overlay.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { MOST_BY_KEY } from './limits.ts'

export interface ChangeQuestion extends Pick<Confirmation, 'title' | 'verb' | 'diff' | 'onConfirm' | 'onCancel'> {
  readonly count: number
  readonly lines?: readonly string[]
}

/** Asks whether to make changes. Cancel is preselected; more than 20, and any on a protected profile, are typed. */
export function confirmChanges(ui: Pick<Ui, 'store'>, { count, lines = [], ...question }: ChangeQuestion): void {
  const { place } = ui.store.get()
  const expected = place.isProtected || count > MOST_BY_KEY ? String(count) : undefined
  showOverlay(ui, { type: 'confirm', ...question, lines, isOnCancel: true, expected, input: textInput() })
}
