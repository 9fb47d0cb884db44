import { CrmError } from '../../core/errors.ts'
import { type EditedRecord, editRecord } from '../background/edit-record.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { rowId } from '../list/list-state.ts'
import { isWritable } from '../offered.ts'
import { selectedRow, serverList } from '../selected.ts'
import { recordName } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'

/** A text that was not saved is opened again by the next edit of its record, with the error as a comment. */
export async function editInEditor({ store, boards, background, world, suspend }: Ui): Promise<void> {
  const { drafts, notices, writes } = background
  const row = selectedRow(store.get(), boards)
  if (!row) return notices.wait('There is no row to edit')
  const list = serverList(store.get())
  const key = `${list} ${rowId(row) ?? ''}`
  const fields = store.get().offered.fields[list]
  const outcome: { edited?: EditedRecord; error?: unknown } = {}
  await suspend(async () => {
    try {
      const isShown = (member: string) => isWritable(fields, member, 'update')
      outcome.edited = await editRecord(row, { env: world.env, isShown, draft: drafts.get(key) })
    } catch (error) {
      outcome.error = error
    }
  })
  const { edited, error } = outcome
  if (!edited) return notices.problem(error, '')
  if (Object.keys(edited.patch).length === 0) {
    drafts.delete(key)
    await edited.forget()
    return notices.wait('Nothing was changed, and nothing sent')
  }
  try {
    await writes.update(list, row, edited.patch, false)
    drafts.delete(key)
    await edited.forget()
  } catch (failure) {
    if (failure instanceof CrmError) drafts.set(key, { text: edited.text, problem: failure.message })
    const stays = `E opens the text again; it stays in ${edited.path}`
    const failed = `${recordName(row)} not saved (${stays}): `
    const open = `Change of ${recordName(row)} (${lookText(list, rowId(row) ?? '')}; ${stays}): `
    notices.problem(failure, leadOf(failure, { failed, open }))
  }
}
