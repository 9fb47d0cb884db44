import { GRACE_MS } from '../background/deletions.ts'
import { actedOn } from '../selected.ts'
import { nameOf, rowsText } from '../text/change-text.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

/** The maximum number of rows that one key deletes. */
export const MOST_BY_KEY = 20
const NAMES_SHOWN = 5

export function askDeletion({ store, background, boards }: Ui): void {
  const { place } = store.get()
  const rows = actedOn(store.get(), boards)
  if (rows.length === 0) return void background.notices.wait('There is no row to delete')
  const what = rowsText(rows, 'contacts')
  const isTyped = rows.length > MOST_BY_KEY || place.isProtected
  const names = rows.slice(0, NAMES_SHOWN).map(nameOf).join(', ')
  const more = rows.length > NAMES_SHOWN ? ` and ${rows.length - NAMES_SHOWN} more` : ''
  store.update((state) => ({
    ...state,
    overlay: {
      type: 'confirm',
      title: `Delete ${what} from ${place.isProtected ? 'the protected ' : ''}${place.text}?`,
      lines: [
        `${names}${more}`,
        `Sent after ${GRACE_MS / 1000} s; until then u cancels it, after that it is for good.`,
      ],
      verb: 'Delete',
      isOnCancel: true,
      expected: isTyped ? String(rows.length) : undefined,
      input: textInput(),
      onConfirm: () => background.deletions.add(rows),
    },
  }))
}
