import { type EditedRecord, editRecord } from '../background/edit-record.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { rowId } from '../list/list-state.ts'
import { selectedRow, serverList } from '../selected.ts'
import { nameOf } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'

/** The edited text is kept in its file until the server accepts it. */
export async function editInEditor({ store, boards, background, world, suspend }: Ui): Promise<void> {
  const row = selectedRow(store.get(), boards)
  if (!row) return background.notices.wait('There is no row to edit')
  const outcome: { edited?: EditedRecord; error?: unknown } = {}
  await suspend(async () => {
    try {
      outcome.edited = await editRecord(row, world.env)
    } catch (error) {
      outcome.error = error
    }
  })
  const { edited, error } = outcome
  if (!edited) return background.notices.problem(error, '')
  if (Object.keys(edited.patch).length === 0) {
    await edited.forget()
    return background.notices.wait('Nothing was changed, and nothing sent')
  }
  const name = serverList(store.get())
  try {
    await background.writes.update(name, row, edited.patch, false)
    await edited.forget()
  } catch (failure) {
    const failed = `${nameOf(row)} not saved, the text stays in ${edited.path}: `
    const open = `Change of ${nameOf(row)} (${lookText(name, rowId(row) ?? '')}; the text stays in ${edited.path}): `
    background.notices.problem(failure, leadOf(failure, { failed, open }))
  }
}
