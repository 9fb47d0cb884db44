import { cellText } from '../../output/safe-text.ts'
import { rowId } from '../list/list-state.ts'
import { actedOn } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import { rowsText } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'
import { askChanges } from './ask-changes.ts'
import { moveDeal } from './move-card.ts'
import { loadStages } from './open-screen.ts'

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
