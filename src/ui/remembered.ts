import { isJsonObject, type JsonObject } from '../core/json.ts'
import { COLUMNS, LISTS, SCREENS, type ScreenName } from './screens.ts'
import { type State, withList } from './state.ts'

/** How the screens are left: which one, and of each list its column, its sort and whether its pane is open. */
export function toRemember({ screen, lists }: State): JsonObject {
  const left = LISTS.filter((name) => name !== 'log').map((name) => {
    const { column, sort, isDetailOpen } = lists[name]
    const sorted = sort ? { sort: sort.by, descending: sort.isDescending } : {}
    return [name, { column, detail: isDetailOpen, ...sorted }] as const
  })
  return { screen: screen === 'log' ? 'contacts' : screen, ...Object.fromEntries(left) }
}

export function rememberedScreen(left: JsonObject): ScreenName | undefined {
  return SCREENS.find((screen) => screen === left.screen && screen !== 'log')
}

/** What another version wrote, and this one does not know, is passed over. */
export function withRemembered(state: State, left: JsonObject): State {
  return LISTS.reduce((before, name) => {
    const part = left[name]
    if (!isJsonObject(part)) return before
    const isColumn = (value: unknown) => COLUMNS[name].some((column) => column.name === value)
    const { column, sort, descending, detail } = part
    return withList(before, name, (list) => ({
      ...list,
      column: typeof column === 'string' && isColumn(column) ? column : list.column,
      sort: typeof sort === 'string' && isColumn(sort) ? { by: sort, isDescending: descending === true } : undefined,
      isDetailOpen: detail === true,
    }))
  }, state)
}
