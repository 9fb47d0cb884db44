import { isJsonObject, type JsonObject } from '../core/json.ts'
import { COLUMNS, LISTS, SCREENS, type ScreenName } from './screens.ts'
import { type State, withList } from './state.ts'

/** The state of the screens at exit: the open screen, and for each list its column, sort and open pane. */
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

/** Ignores values of other versions that this version does not recognise. */
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
