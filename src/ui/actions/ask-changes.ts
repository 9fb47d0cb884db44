import type { ChosenChange } from '../../jobs/plan/make-selection.ts'
import type { ChangesToSend } from '../background/send-changes.ts'
import { countedParts } from '../text/change-text.ts'
import type { DiffLine } from '../text/diff-line.ts'
import { deletionDiff, editDiff } from '../text/plan-diff.ts'
import type { Ui } from '../ui.ts'
import { confirmChanges } from './confirm-changes.ts'

/** Of a conflict, so many are shown beside the plan. */
const MOST_CONFLICTS = 3

export interface ChangesToAsk extends ChangesToSend {
  readonly lines?: readonly string[]
}

/** Shows changes of records as a plan, and sends them as a job once that is confirmed. */
export function askChanges(ui: Ui, { lines = [], ...toSend }: ChangesToAsk): void {
  const { changes } = toSend
  confirmChanges(ui, {
    title: `${planTitle(changes)} ${ui.store.get().place.text}?`,
    ...{ diff: changesDiff(changes), lines, verb: 'Send', count: changes.length },
    onConfirm: () => void sendChanges(ui, toSend),
  })
}

/** `Send 2 updates and 1 deletion to`. */
export function planTitle(changes: readonly ChosenChange[]): string {
  const deletion = changes.filter(({ patch }) => patch === null).length
  return `Send ${countedParts({ update: changes.length - deletion, deletion }).join(' and ')} to`
}

export function changesDiff(changes: readonly ChosenChange[]): readonly DiffLine[] {
  const edits = changes.flatMap(({ row, patch }) => (patch === null ? [] : [{ row, patch }]))
  return [...editDiff(edits), ...deletionDiff(changes.flatMap(({ row, patch }) => (patch === null ? [row] : [])))]
}

/** What others changed meanwhile is asked about again, as a plan over what they made of it. */
export async function sendChanges(ui: Ui, toSend: ChangesToSend): Promise<void> {
  const { store, background } = ui
  const conflicts = await background.sendChanges(toSend)
  if (conflicts.length === 0) return
  const texts = conflicts.slice(0, MOST_CONFLICTS).map(({ text }) => text)
  const more = conflicts.length > texts.length ? [`and ${conflicts.length - texts.length} more`] : []
  const lines = ['Changed by others since they were shown:', ...texts, ...more]
  if (store.get().overlay) return background.notices.wait([...lines, 'nothing of them was overwritten'].join(' '))
  askChanges(ui, { name: toSend.name, changes: conflicts.map(({ change }) => change), lines })
}
