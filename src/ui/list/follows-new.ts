import type { State } from '../state.ts'

/** New rows are shown on top until a row is selected, so that no row moves under the cursor. */
export function isFollowed({ listening, overlay, lists: { events } }: State): boolean {
  const { cursor, marks, isDetailOpen, anchor } = events
  const isChosen = cursor > 0 || marks.size > 0 || isDetailOpen || anchor !== undefined
  return listening?.isFollowing === true && overlay === undefined && !isChosen
}
