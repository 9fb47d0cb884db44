import { openForm } from '../form/open-form.ts'
import { formText } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'

/** Opens the first kept form, for the current record. */
export async function openKeptForm(ui: Ui): Promise<void> {
  const { store, background } = ui
  const [form] = store.get().keptForms
  if (!form) return
  const take = () => store.update((state) => ({ ...state, keptForms: state.keptForms.filter((each) => each !== form) }))
  try {
    const record = form.before === null ? undefined : await background.kept.recordOf(form)
    if (form.before !== null && !record) {
      take()
      return background.notices.wait(`Not restored, because the record was deleted: ${formText(form)}`)
    }
    // Something else was opened during the request.
    if (store.get().overlay) return
    take()
    openForm(ui, form.list, record, form)
  } catch (error) {
    background.notices.problem(error, 'The form cannot be opened, and stays kept: ')
  }
}
