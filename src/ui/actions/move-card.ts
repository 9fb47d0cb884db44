import type { CrmRecord } from '../../core/resources/registry.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { clampBoard } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isWritable } from '../offered.ts'
import { selectedRow } from '../selected.ts'
import type { State } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'
import { confirmChanges } from './confirm-changes.ts'

/** Why the stage of a deal cannot be changed. */
export function stageRefusal({ offered: { lacks, fields } }: State): string | undefined {
  if (lacks['update deals'] !== undefined) return lacks['update deals']
  if (lacks.stage !== undefined || isWritable(fields.deals, 'stage', 'update')) return lacks.stage
  return `${fields.deals?.by} never changes the stage of a deal`
}

/** Moves the card under the cursor to the stage beside its own; on a protected profile, it asks first. */
export function moveCard(ui: Ui, step: -1 | 1): void {
  const { store, boards, background } = ui
  const state = store.get()
  const columns = boards(state.lists.deals, state.board.stages)
  const deal = selectedRow(state, boards)
  const to = columns[clampBoard(state.board, columns).column + step]?.stage
  if (!deal || rowId(deal) === undefined) return void background.notices.wait('There is no deal to move')
  if (to === undefined) return void background.notices.wait('There is no stage on that side')
  const move = async () => {
    if (await moveDeal(ui, deal, to)) focus(ui, rowId(deal) ?? '')
  }
  if (!state.place.isProtected) return void move()
  confirmChanges(ui, {
    title: `Move ${recordName(deal)} to ${to} on the protected ${state.place.text}?`,
    ...{ verb: 'Move', count: 1, onConfirm: () => void move() },
  })
}

/** One request; false after a message that says why it was not moved. */
export async function moveDeal({ background }: Ui, deal: CrmRecord, stage: string): Promise<boolean> {
  try {
    await background.writes.update('deals', deal, { stage }, false)
    return true
  } catch (error) {
    const name = recordName(deal)
    const open = `Move of ${name} (${lookText('deals', rowId(deal) ?? '')}): `
    background.notices.problem(error, leadOf(error, { failed: `${name} not moved: `, open }))
    return false
  }
}

/** Selects the card of a deal, in whatever stage it is. */
function focus({ store, boards }: Ui, id: string): void {
  store.update((state) => {
    const columns = boards(state.lists.deals, state.board.stages)
    const column = columns.findIndex(({ deals }) => deals.some((each) => rowId(each) === id))
    const card = columns[column]?.deals.findIndex((each) => rowId(each) === id) ?? -1
    return column < 0 ? state : { ...state, board: { ...state.board, column, card } }
  })
}
