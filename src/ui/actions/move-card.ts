import { leadOf, lookText } from '../background/notices.ts'
import { clampBoard } from '../board.ts'
import { rowId } from '../list/list-state.ts'
import { isWritable } from '../offered.ts'
import { selectedRow } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import type { State } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

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
  const move = () => void send(ui, deal, to)
  if (!state.place.isProtected) return void move()
  showOverlay(ui, {
    type: 'confirm',
    title: `Move ${recordName(deal)} to ${to} on the protected ${state.place.text}?`,
    ...{ lines: [], verb: 'Move', isOnCancel: true, expected: '1', input: textInput(), onConfirm: move },
  })
}

type Deal = NonNullable<ReturnType<typeof selectedRow>>

async function send(ui: Ui, deal: Deal, stage: string): Promise<void> {
  const { background } = ui
  try {
    await background.writes.update('deals', deal, { stage }, false)
    focus(ui, rowId(deal) ?? '')
  } catch (error) {
    const name = recordName(deal)
    const open = `Move of ${name} (${lookText('deals', rowId(deal) ?? '')}): `
    background.notices.problem(error, leadOf(error, { failed: `${name} not moved: `, open }))
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
