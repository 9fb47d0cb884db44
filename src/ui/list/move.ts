import { type ListState, shownCount } from './list-state.ts'

/**
 * Moves the cursor; the window follows. At an edge it jumps by half a screen: scrolling by a line would rewrite the whole
 * screen each time, which is slow on a slow connection.
 */
export function moveTo(list: ListState, position: number, height: number): ListState {
  const cursor = Math.max(0, Math.min(position, shownCount(list) - 1))
  return { ...list, cursor, top: topFor(list, cursor, height) }
}

export function moveBy(list: ListState, lines: number, height: number): ListState {
  return moveTo(list, list.cursor + lines, height)
}

function topFor(list: ListState, cursor: number, height: number): number {
  const most = Math.max(0, shownCount(list) - height)
  const half = Math.floor(height / 2)
  if (cursor < list.top) return Math.max(0, Math.min(cursor, list.top - half))
  if (cursor >= list.top + height) return Math.min(most, Math.max(cursor - height + 1, list.top + half))
  return Math.max(0, Math.min(list.top, most))
}
