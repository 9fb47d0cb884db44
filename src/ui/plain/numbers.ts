import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Listing } from './plain.ts'

/** The rows of `3`, `1-4,9` or `all`, each once. CrmError `invalid_input` for a number that was not said. */
export function rowsOf(text: string, listing: Listing): readonly CrmRecord[] {
  if (text === 'all') return listing.found()
  const numbers = new Set(text.split(',').flatMap(range))
  return Array.from(numbers, (number) => {
    const row = listing.row(number)
    if (row) return row
    throw new CrmError('invalid_input', `no row has the number ${number}`, {
      hint: `numbers are those said in ${listing.screen()}; Enter says more`,
    })
  })
}

/** More numbers than any list has rows would only fill the memory. */
const LARGEST = 1_000_000

function range(part: string): readonly number[] {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (first === undefined || from > to || to > LARGEST) {
    throw new CrmError('invalid_input', `${JSON.stringify(part)} is not a number or range`, {
      hint: 'such as 3, or 1-4,9, or all',
    })
  }
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
