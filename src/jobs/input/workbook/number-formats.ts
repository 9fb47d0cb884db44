import { attributeOf } from './scan-xml.ts'
import type { WorkbookParts } from './workbook-parts.ts'

/** What a number of a cell is shown as. `duration`: hours that may be more than a day. */
export type NumberKind = 'number' | 'date' | 'time' | 'date_time' | 'duration'

/** The kinds by the number of a cell style. */
export type NumberKinds = readonly NumberKind[]

/** Formats that every program has, which files do not define (ECMA-376-1, 18.8.30), East Asian ones included. */
function builtIn(id: number): NumberKind {
  if (id === 22) return 'date_time'
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 54)) return 'date'
  if (id === 57 || id === 58) return 'date'
  if (id === 46) return 'duration'
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47 || id === 55 || id === 56
    ? 'time'
    : 'number'
}

/** Texts, escaped characters, fillers, and conditions, colours and languages in brackets, but not `[h]`. */
const NOT_CODE = /"[^"]*"?|[\\_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi

/** The kind of a format such as `dd.mm.yyyy`, by its first section. */
function kindOfFormat(format: string): NumberKind {
  const [code = ''] = format.replace(NOT_CODE, '').split(';')
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'duration'
  if (/general/i.test(code)) return 'number'
  const hasTime = /[hs]|am\/pm|a\/p/i.test(code)
  // A month and a minute are both `m`.
  const hasDate = /[ydg]|b1|b2|aaa/i.test(code.replace(/am\/pm|a\/p/gi, '')) || (!hasTime && /m/i.test(code))
  if (hasDate) return hasTime ? 'date_time' : 'date'
  return hasTime ? 'time' : 'number'
}

export async function readNumberKinds(parts: WorkbookParts, path: string): Promise<NumberKinds> {
  const custom = new Map<number, NumberKind>()
  const kinds: NumberKind[] = []
  let isCell = false
  await parts.scan(path, {
    open(name, attributes) {
      if (name === 'cellXfs') isCell = true
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0)
      if (name === 'numFmt') custom.set(id, kindOfFormat(attributeOf(attributes, 'formatCode') ?? ''))
      if (name === 'xf' && isCell) kinds.push(custom.get(id) ?? builtIn(id))
    },
    close(name) {
      if (name === 'cellXfs') isCell = false
    },
    text() {},
  })
  return kinds
}
