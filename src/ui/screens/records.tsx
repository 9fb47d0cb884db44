import { FIELDS, fieldOf, isReadOnly, resourceOf } from '../../core/resources/registry.ts'
import type { ListColumn } from '../list/columns.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { ServerList } from '../screens.ts'
import type { State } from '../state.ts'

function noRecords(name: ServerList): (state: State) => readonly string[] {
  return ({ lists, offered }) => {
    if (Object.keys(lists[name].serverFilters).length > 0)
      return ['No record on the server matches. f changes the filter.']
    const isMade = offered.lacks[`create ${name}`] === undefined
    return [`No ${name} yet.${isMade ? ' n makes one.' : ''}`]
  }
}

export const contactsScreen: ScreenEntry = {
  title: 'Contacts',
  columns: [
    { name: 'name', head: 'NAME', least: 22, most: 36 },
    { name: 'email', head: 'EMAIL', least: 22, most: 36 },
    { name: 'phone', head: 'PHONE', least: 15, most: 18 },
    { name: 'company', head: 'COMPANY', least: 18, most: 28 },
    { name: 'id', head: 'ID', least: 16, most: 17 },
    { name: 'owner_id', head: 'OWNER', least: 8, most: 14 },
    { name: 'created_at', head: 'CREATED', least: 8, most: 20, kind: 'time' },
  ],
  empty: noRecords('contacts'),
}

export const dealsScreen: ScreenEntry = {
  title: 'Deals',
  columns: [
    { name: 'name', head: 'NAME', least: 26, most: 40 },
    { name: 'amount', head: 'AMOUNT', least: 10, most: 14, align: 'right' },
    { name: 'stage', head: 'STAGE', least: 12, most: 18 },
    { name: 'id', head: 'ID', least: 16, most: 17 },
    { name: 'owner_id', head: 'OWNER', least: 8, most: 14 },
    { name: 'pipeline_id', head: 'PIPELINE', least: 10, most: 16 },
    { name: 'created_at', head: 'CREATED', least: 8, most: 20, kind: 'time' },
  ],
  empty: noRecords('deals'),
}

export function objectScreen(name: ServerList): ScreenEntry {
  const plural = name.replaceAll('_', ' ')
  return {
    title: plural.charAt(0).toUpperCase() + plural.slice(1),
    columns: objectColumns(name),
    empty: noRecords(name),
  }
}

/** What names it, the other fields, id, owner and creation time. */
const LAST = ['id', 'owner_id', 'created_at']
const WIDTHS = { least: 10, most: 28 } as const

function objectColumns(name: ServerList): readonly ListColumn[] {
  const resource = resourceOf(name)
  const own = FIELDS[resource].filter((field) => !isReadOnly(field) && !LAST.includes(field))
  const last = LAST.filter((field) => fieldOf(resource, field) !== undefined)
  return [...own, ...last].map((field, at) => {
    const type = fieldOf(resource, field)?.type
    return {
      name: field,
      head: field
        .replace(/_(?:id|at|on)$/, '')
        .replaceAll('_', ' ')
        .toUpperCase(),
      ...(at === 0 ? { least: 22, most: 40 } : WIDTHS),
      ...((type === 'number' || type === 'integer') && { align: 'right' as const }),
      ...(type === 'time' && { kind: 'time' as const }),
    }
  })
}
