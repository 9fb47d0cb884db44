import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { type Edit, rowId } from '../list/list-state.ts'
import type { ServerList } from '../screens.ts'
import { recordName } from '../text/change-text.ts'
import { leadOf, lookText, type Notices } from './notices.ts'
import type { History, TrackedRows, UnderWay } from './under-way.ts'
import { inverseOf, type Writes } from './writes.ts'

export interface EachToSend {
  readonly name: ServerList
  readonly rows: TrackedRows
  readonly edits: readonly Edit[]
  readonly onSaved: (edit: Edit) => void
  /** Gets those that were refused because others changed their records. */
  readonly conflicts?: Edit[]
}

type Save = (name: ServerList, row: CrmRecord, patch: JsonObject) => Promise<CrmRecord>

/** Sends each edit in a request of its own; the edits that take back those that were saved. */
export async function sendEach(
  { save, notices }: { readonly save: Save; readonly notices: Notices },
  { name, rows, edits, onSaved, conflicts }: EachToSend,
): Promise<readonly Edit[]> {
  const inverse: Edit[] = []
  let failed = 0
  const ended = () => inverse.length + failed
  rows.watch(() => ({ total: edits.length, ended: ended(), failed, pausedBy: undefined, jobId: undefined }))
  for (const edit of edits) {
    if (rows.stop.aborted) break
    try {
      const after = await save(name, edit.row, edit.patch)
      inverse.push({ row: after, patch: inverseOf(edit.row, edit.patch) })
      onSaved(edit)
    } catch (error) {
      failed++
      if (error instanceof CrmError && error.code === 'precondition_failed') conflicts?.push(edit)
      const named = recordName(edit.row)
      const open = `Update of ${named} (${lookText(name, rowId(edit.row) ?? '')}): `
      notices.problem(error, leadOf(error, { failed: `${named} not saved: `, open }))
      if (error instanceof CrmError && error.code === 'interrupted') break
    }
  }
  return inverse
}

/** Takes saved edits back, unless their records were changed since. */
export type Revert = (name: ServerList, edits: readonly Edit[]) => Promise<void>

interface Parts {
  readonly writes: Writes
  readonly notices: Notices
  readonly underWay: UnderWay
  readonly history: History
}

export function createRevert({ writes, notices, underWay, history }: Parts): Revert {
  return (name, edits) =>
    underWay.trackRows(`the undo of ${edits.length} updates of ${name}`, async (rows) => {
      const left = new Set(edits)
      await sendEach({ save: writes.saveBack, notices }, { name, rows, edits, onSaved: (edit) => left.delete(edit) })
      if (left.size === 0) return notices.done(`${edits.length} undone`)
      history.add({ type: 'edits', name, edits: [...left] })
      notices.wait(`${edits.length - left.size} undone, ${left.size} not`, '; u tries those again')
    })
}
