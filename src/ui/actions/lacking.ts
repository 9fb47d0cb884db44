import { serverList } from '../selected.ts'
import type { State } from '../state.ts'

/** Why the server takes no notes on records of the screen. */
export function noteRefusal(state: State): string | undefined {
  return state.offered.lacks[`create notes on ${serverList(state)}`]
}

/** Why the server does not do this with records of the screen. */
export function lacking(operation: 'create' | 'update' | 'delete'): (state: State) => string | undefined {
  return (state) => state.offered.lacks[`${operation} ${serverList(state)}`]
}
