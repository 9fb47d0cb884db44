import { lastTextTop } from './components/text-page.tsx'
import type { Stroke } from './keys.ts'
import type { Text } from './overlay.ts'
import { stepOf } from './overlay-steps.ts'
import { showOverlay } from './show-overlay.ts'
import type { Ui } from './ui.ts'

/** Shows lines to read; what is open, such as a form, stays. */
export function openText(ui: Pick<Ui, 'store' | 'background'>, title: string, lines: readonly string[]): void {
  const { overlay } = ui.store.get()
  if (overlay && overlay.type !== 'text') return void ui.background.notices.wait(`${title}: ! shows the end of it`)
  showOverlay(ui, { type: 'text', title, lines, top: 0 })
}

export function pressInText(ui: Ui, text: Text, { chord }: Stroke): void {
  if (chord === 'esc' || chord === 'q' || chord === 'enter') return void showOverlay(ui, undefined)
  const step = stepOf(chord)
  if (step === 0) return
  showOverlay(ui, { ...text, top: Math.max(0, Math.min(lastTextTop(text, ui.store.get()), text.top + step)) })
}
