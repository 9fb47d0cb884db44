import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { actedOn, clampBoard, selectedRow, withDealSelected } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isWritable } from '../screens.ts'
import { type State, showOverlay } from '../state.ts'
import { recordName, rowsText } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'
import { askChanges, confirmChanges } from './ask-changes.ts'
import { loadStages } from './open-screen.ts'

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
    if (await moveDeal(ui, deal, to)) store.update((now) => withDealSelected(now, boards, rowId(deal)))
  }
  if (!state.place.isProtected) return void move()
  confirmChanges(ui, {
    title: `Move ${recordName(deal)} to ${to} on the protected ${state.place.text}?`,
    ...{ verb: 'Move', count: 1, onConfirm: () => void move() },
  })
}

/** One request; false after a message that says why it was not moved. */
async function moveDeal({ background }: Ui, deal: CrmRecord, stage: string): Promise<boolean> {
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

/** Moves one deal at once; several, and any on a protected profile, after their plan is confirmed. */
export async function chooseStage(ui: Ui): Promise<void> {
  const { store, boards, background } = ui
  const deals = actedOn(store.get(), boards).filter((deal) => rowId(deal) !== undefined)
  if (deals.length === 0) return background.notices.wait('There is no deal to move')
  await loadStages(ui)
  const { board, lists, place } = store.get()
  const options = boards(lists.deals, board.stages).map((column) => column.stage)
  const now = deals.length === 1 ? cellText(deals[0]?.stage) : ''
  const [only, ...others] = deals
  showOverlay(ui, {
    type: 'choice',
    title: `Move ${rowsText(deals, 'deals')} to`,
    options,
    index: Math.max(0, options.indexOf(now)),
    onChoose: (to) => {
      const moved = deals.filter((deal) => cellText(deal.stage) !== to)
      if (moved.length === 0) background.notices.wait(`Already in ${to}; nothing was sent`)
      else if (only && others.length === 0 && !place.isProtected) void moveDeal(ui, only, to)
      else askChanges(ui, { name: 'deals', changes: moved.map((row) => ({ row, patch: { stage: to } })) })
    },
  })
}
