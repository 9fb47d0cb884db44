import { rowId } from '../list/list-state.ts'
import { selectedRow, serverList } from '../selected.ts'
import type { Ui } from '../ui.ts'
import { nameOf } from '../work/deletions.ts'
import { type EditedRecord, editRecord } from '../work/edit-record.ts'
import { leadOf, lookText } from '../work/notices.ts'

/** What was written is kept in its file until the server has taken it. */
export async function editInEditor({ store, boards, work, world, suspend }: Ui): Promise<void> {
  const row = selectedRow(store.get(), boards)
  if (!row) return work.notices.wait('There is no row to edit')
  const outcome: { edited?: EditedRecord; error?: unknown } = {}
  await suspend(async () => {
    try {
      outcome.edited = await editRecord(row, world.env)
    } catch (error) {
      outcome.error = error
    }
  })
  const { edited, error } = outcome
  if (!edited) return work.notices.problem(error, '')
  if (Object.keys(edited.patch).length === 0) {
    await edited.forget()
    return work.notices.wait('Nothing was changed, and nothing sent')
  }
  const name = serverList(store.get())
  try {
    await work.writes.update(name, row, edited.patch, false)
    await edited.forget()
  } catch (failure) {
    const failed = `${nameOf(row)} not saved, the text stays in ${edited.path}: `
    const open = `Change of ${nameOf(row)} (${lookText(name, rowId(row) ?? '')}; the text stays in ${edited.path}): `
    work.notices.problem(failure, leadOf(failure, { failed, open }))
  }
}
