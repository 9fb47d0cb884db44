import { type Mapping, parseMap } from '../columns.ts'
import { mapName } from '../header-row.ts'
import type { FormatSummary } from '../row.ts'

/** `--map` with the types of the sheet: corrected rows are text, and their columns would be texts without. */
export function typedMap(map: readonly string[], { columns }: FormatSummary): readonly string[] {
  if (!columns.some(({ type }) => type !== undefined)) return map
  const mappings = new Map(parseMap(map))
  for (const [at, { name, field, type }] of columns.entries()) {
    if (type === undefined) continue
    const numbered = `#${at + 1}`
    const column = mappings.has(numbered) ? numbered : name
    mappings.set(column, { ...mappings.get(column), column, field, type })
  }
  return [...mappings.values()].map(mapText)
}

function mapText({ column, field = '', type, conversion }: Mapping): string {
  const { name, argument } = conversion ?? {}
  const converted = argument === undefined ? name : `${name}(${argument})`
  const target = [field, name === undefined ? type : converted].filter((part) => part !== undefined).join(':')
  return `${mapName(column)}=${target}`
}
