import type { Stroke } from './keys.ts'
import { choosableColumns, offeredColumns, shownColumns } from './list/shown-columns.ts'
import type { ColumnChooser } from './overlay.ts'
import { stepOf } from './overlay-steps.ts'
import { listOfScreen } from './screens.ts'
import { showOverlay } from './show-overlay.ts'
import type { Ui } from './ui.ts'

/** Asks which columns are shown, and in which order. */
export function openColumns(ui: Ui): void {
  const state = ui.store.get()
  const list = listOfScreen(state.screen)
  const shown = new Set(shownColumns(state, list).map(({ name }) => name))
  const vital = offeredColumns(state, list).filter(({ isVital }) => isVital)
  showOverlay(ui, {
    ...{ type: 'columns', list, index: 0, vital: vital.map(({ name }) => name) },
    items: choosableColumns(state, list).map((name) => ({ name, isShown: shown.has(name) })),
  })
}

export function pressInColumns(ui: Ui, chooser: ColumnChooser, { chord }: Stroke): void {
  const { items, index, list } = chooser
  const edit = (part: Partial<ColumnChooser>) => showOverlay(ui, { ...chooser, ...part })
  const last = items.length - 1
  const step = chord === 'space' ? 0 : stepOf(chord)
  if (step !== 0) return void edit({ index: Math.max(0, Math.min(last, index + step)) })
  switch (chord) {
    case 'esc':
    case 'q':
      return void showOverlay(ui, undefined)
    case 'space':
      return void edit({ items: toggled(chooser) })
    case 'J':
    case '>':
      return void edit({ items: swapped(items, index, index + 1), index: Math.min(last, index + 1) })
    case 'K':
    case '<':
      return void edit({ items: swapped(items, index - 1, index), index: Math.max(0, index - 1) })
    case 'r':
    case 'enter': {
      const chosen = chord === 'r' ? undefined : items.filter(({ isShown }) => isShown).map(({ name }) => name)
      ui.store.update((state) => ({
        ...state,
        overlay: undefined,
        chosenColumns: { ...state.chosenColumns, [list]: chosen },
      }))
    }
  }
}

type Items = ColumnChooser['items']

/** A vital column, and the last one that is shown, stay. */
function toggled({ items, index, vital }: ColumnChooser): Items {
  const item = items[index]
  if (!item) return items
  const isNeeded = vital.includes(item.name) || items.filter(({ isShown }) => isShown).length === 1
  return item.isShown && isNeeded ? items : items.with(index, { ...item, isShown: !item.isShown })
}

function swapped(items: Items, one: number, other: number): Items {
  const [first, second] = [items[one], items[other]]
  return first && second ? items.with(one, second).with(other, first) : items
}
