import type { ServerList } from '../screens.ts'
import type { State } from '../state.ts'

/** Why a list of records is empty. */
export function noRecords(name: ServerList): (state: State) => readonly string[] {
  return ({ lists, offered }) => {
    if (Object.keys(lists[name].serverFilters).length > 0)
      return ['No record on the server matches. f changes the filter.']
    const isMade = offered.lacks[`create ${name}`] === undefined
    return [`No ${name} yet.${isMade ? ' n makes one.' : ''}`]
  }
}
