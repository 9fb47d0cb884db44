import { barrierText, type UndoOfChange, type UndoOfEdits } from '../background/under-way.ts'
import { rowId } from '../list/list-state.ts'
import { listOfScreen } from '../screens.ts'
import { editDiff } from '../text/plan-diff.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import type { Plain } from './plain.ts'

/** The last change; in jobs, the job with the number. */
export async function undoLast(plain: Plain, rest: string): Promise<void> {
  const { background, listing, say } = plain
  const { history } = background
  if (rest !== '' && listing.screen() === 'jobs') {
    for (const row of rowsOf(rest, listing).slice(0, 1)) await undoJob(plain, rowId(row) ?? '')
    return
  }
  const last = history.last()
  if (!last) return say('There is no change of this session to undo.')
  if (last.type === 'barrier') {
    history.add(last)
    return say(`${barrierText(last.what)}.`)
  }
  if (last.type === 'job') {
    if (!(await undoJob(plain, last.id))) history.add(last)
    return
  }
  if (last.type === 'edits') {
    if (!(await undoEdits(plain, last))) history.add(last)
    return
  }
  await undoChange(plain, last)
}

async function undoChange(plain: Plain, change: UndoOfChange): Promise<void> {
  const { history, notices } = plain.background
  const isElsewhere = listOfScreen(plain.listing.screen()) !== change.name
  if (isElsewhere && !(await confirmsElsewhere(plain, change))) return history.add(change)
  try {
    await change.undo()
    notices.done(`Undone: ${change.what}`)
  } catch (error) {
    history.add(change)
    notices.problem(error, 'Not undone: ')
  }
}

async function confirmsElsewhere(plain: Plain, { what, name, diff }: UndoOfChange): Promise<boolean> {
  const title = `Undo ${what} (${name}) on ${plain.store.get().place.text}?`
  return isConfirmed(plain, { title, diff, lines: [], count: 1 })
}

/** False when it was not sent. */
async function undoEdits(plain: Plain, { name, edits }: UndoOfEdits): Promise<boolean> {
  const title = `Undo ${edits.length} updates of ${name} on ${plain.store.get().place.text}?`
  if (!(await isConfirmed(plain, { title, diff: editDiff(edits), lines: [], count: edits.length }))) return false
  await plain.background.revert(name, edits)
  return true
}

/** False when it was not sent. */
async function undoJob(plain: Plain, id: string): Promise<boolean> {
  const undo = await plain.background.jobs.planUndo(id)
  if (!undo) return false
  const { rows, diff, lines } = undo
  const title = `Undo ${id} on ${plain.store.get().place.text}? ${rows} ${rows === 1 ? 'change' : 'changes'}`
  if (await isConfirmed(plain, { title, diff, lines, count: rows })) {
    await undo.send()
    return true
  }
  undo.drop()
  return false
}
