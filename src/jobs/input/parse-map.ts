import { CrmError } from '../../core/errors.ts'

export const CELL_TYPES = ['text', 'number', 'integer', 'boolean', 'json'] as const

export type CellType = (typeof CELL_TYPES)[number]

/** One part of `--map`. */
export interface Mapping {
  /** Of the column, as the input has it. */
  readonly column: string
  /** Undefined leaves the column out. */
  readonly field: string | undefined
  /** Undefined: what the field is known to be, else a text. */
  readonly type: CellType | undefined
}

const EXPECTED =
  'expected --map COLUMN=FIELD, COLUMN=FIELD:number (or integer, boolean, json, text), or COLUMN= to leave it out'

/** A part with a comma in it stands in double quotes: `--map '"Last, first"=name'`. */
const PART = /\s*(?:"((?:[^"]|"")*)"|([^",=][^,=]*))\s*=([^,]*)(?:,|$)/y

/** `Email=email,Score=score:number,Fax=`, each use of the flag adding to the ones before. */
export function parseMap(texts: readonly string[]): ReadonlyMap<string, Mapping> {
  const mappings = new Map<string, Mapping>()
  for (const text of texts) {
    PART.lastIndex = 0
    for (let at = 0; at < text.length; at = PART.lastIndex) {
      PART.lastIndex = at
      const mapping = readPart(PART.exec(text), text)
      if (mappings.has(mapping.column)) {
        throw new CrmError('usage', `--map names the column ${JSON.stringify(mapping.column)} twice`, {
          hint: EXPECTED,
        })
      }
      mappings.set(mapping.column, mapping)
    }
  }
  return mappings
}

function readPart(match: RegExpExecArray | null, text: string): Mapping {
  if (!match) throw new CrmError('usage', `--map ${JSON.stringify(text)} is not COLUMN=FIELD`, { hint: EXPECTED })
  const [, quoted, plain = '', target = ''] = match
  const column = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')
  const [, field = '', type] = /^(.*?)(?::(\w*))?$/s.exec(target.trim()) ?? []
  if (type !== undefined && !isCellType(type)) {
    throw new CrmError('usage', `--map ${column}=${target}: ${JSON.stringify(type)} is no type`, { hint: EXPECTED })
  }
  return { column, field: field === '' ? undefined : field, type }
}

function isCellType(type: string): type is CellType {
  return (CELL_TYPES as readonly string[]).includes(type)
}
