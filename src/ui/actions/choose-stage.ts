import { cellText } from '../../output/safe-text.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { rowId } from '../list/list-state.ts'
import { actedOn } from '../selected.ts'
import { recordName, rowsText } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'
import { loadStages } from './open-screen.ts'

/** Moves all marked deals; stops at the first that the server rejects. */
export async function chooseStage(ui: Ui): Promise<void> {
  const { store, boards, background } = ui
  const deals = actedOn(store.get(), boards).filter((deal) => rowId(deal) !== undefined)
  if (deals.length === 0) return background.notices.wait('There is no deal to move')
  await loadStages(ui)
  const { board, lists } = store.get()
  const options = boards(lists.deals, board.stages).map(({ stage }) => stage)
  const what = rowsText(deals, 'deals')
  const now = deals.length === 1 ? cellText(deals[0]?.stage) : ''
  const move = async (stage: string) => {
    for (const deal of deals) {
      if (cellText(deal.stage) === stage) continue
      try {
        await background.writes.update('deals', deal, { stage }, false)
      } catch (error) {
        const name = recordName(deal)
        const open = `Move of ${name} (${lookText('deals', rowId(deal) ?? '')}): `
        return background.notices.problem(error, leadOf(error, { failed: `${name} not moved: `, open }))
      }
    }
  }
  store.update((state) => ({
    ...state,
    overlay: {
      type: 'choice',
      title: `Move ${what} to`,
      options,
      index: Math.max(0, options.indexOf(now)),
      onChoose: (stage) => void move(stage),
    },
  }))
}
