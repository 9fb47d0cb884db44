import type { ServerList } from '../screens.ts'
import { showOverlay } from '../show-overlay.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

/** Each page is a request, and nothing says how many there are. */
export function askLoadAll(ui: Ui, names: readonly ServerList[]): void {
  const { store, background } = ui
  const counts = names.map((name) => `${store.get().lists[name].rows.length} ${name}`).join(' and ')
  const loadAll = async () => {
    for (const name of names) await background.lists.all(name)
  }
  showOverlay(ui, {
    ...{ type: 'confirm', title: `Load all ${names.join(' and ')}?`, verb: 'Load all' },
    lines: [
      `${counts} are loaded, and the server does not say how many there are.`,
      'Each page is a request; Esc stops it at any time.',
    ],
    ...{ isOnCancel: true, expected: undefined, input: textInput(), onConfirm: () => void loadAll() },
  })
}
