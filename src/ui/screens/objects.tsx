import { FIELDS, fieldOf, isReadOnly, resourceOf } from '../../core/resources/registry.ts'
import type { ListColumn } from '../list/columns.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { ServerList } from '../screens.ts'
import { noRecords } from './records.tsx'

/** The screen of an object that has no tab, such as companies. */
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
