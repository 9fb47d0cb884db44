import { changesOfRecord, historyCommand } from '../background/record-history.ts'
import { rowId } from '../list/list-state.ts'
import { openText } from '../overlay-text.ts'
import { SERVER_SCREENS } from '../screens.ts'
import { selectedRow, serverList } from '../selected.ts'
import { recordName } from '../text/change-text.ts'
import { diffText } from '../text/diff-line.ts'
import { changeHead, memberChanges } from '../text/history-lines.ts'
import type { Action, Ui } from '../ui.ts'

export const HISTORY: readonly Action[] = [
  {
    id: 'history',
    title: 'Who changed the record: all changes that the server keeps, the newest first',
    screens: SERVER_SCREENS,
    keys: ['C'],
    run: (ui) => void showHistory(ui),
  },
]

/** The command prints more. */
const MOST_CHANGES = 500

async function showHistory(ui: Ui): Promise<void> {
  const { store, boards, background, world } = ui
  const row = selectedRow(store.get(), boards)
  const id = rowId(row)
  if (!row || id === undefined) return background.notices.wait('There is no record')
  const list = serverList(store.get())
  const command = historyCommand(list, id)
  try {
    const changes = await changesOfRecord(await world.openApi(), list, id, MOST_CHANGES)
    if (!changes) {
      return background.notices.wait(`This server describes no history; ${command} shows what jobs of this machine did`)
    }
    const lines = changes.flatMap((change) => [
      changeHead(change, store.get().times),
      ...memberChanges(change).map((line) => `  ${diffText(line)}`),
    ])
    const count = changes.length < MOST_CHANGES ? String(changes.length) : `the last ${changes.length}`
    openText(ui, `Changes of ${recordName(row)} (${count})`, lines.length > 0 ? lines : ['The server keeps none.'])
  } catch (error) {
    background.notices.problem(error, `Changes of ${recordName(row)}: `)
  }
}
