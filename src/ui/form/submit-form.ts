import type { Form } from '../overlay.ts'
import { showOverlay } from '../show-overlay.ts'
import type { Ui } from '../ui.ts'

export async function submitForm(ui: Pick<Ui, 'store'>, form: Form): Promise<void> {
  showOverlay(ui, { ...form, isSending: true, problem: undefined })
  await form.onSubmit(form.fields)
}
