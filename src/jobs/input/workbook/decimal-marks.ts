import type { Mapping } from '../columns.ts'
import { numberFormatOf } from '../convert/numbers.ts'
import type { RowOptions } from '../row.ts'

/**
 * The decimal mark with which the numbers of each column are written, so that `--decimal` and `:number(1.234,50)` read numbers
 * of cells like those that are texts, in the first reading and in that of corrected rows.
 */
export function decimalMarks(
  headings: readonly string[],
  mappings: ReadonlyMap<string, Mapping>,
  decimal: RowOptions['decimal'],
): readonly string[] {
  return headings.map((heading, at) => {
    const { type, conversion } = mappings.get(heading.trim()) ?? mappings.get(`#${at + 1}`) ?? {}
    const { name, argument } = conversion ?? {}
    if (name === 'number' && argument !== undefined) {
      return numberFormatOf(argument, `--map number(${argument})`).decimal ?? '.'
    }
    return decimal === 'comma' && type !== 'json' ? ',' : '.'
  })
}
