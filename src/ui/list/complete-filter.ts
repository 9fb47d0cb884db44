import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'

export interface FilterWords {
  /** The names that can be filtered by. */
  readonly names: readonly string[]
  /** The values of some names, such as the stages. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Records whose values are proposed for all other names. */
  readonly rows: readonly CrmRecord[]
}

/** The number of records whose values are proposed. */
const MOST_LOOKED_AT = 2_000

/** The texts that the beginning of a filter line can become: a name with `=`, or a value, quoted where it has blanks. */
export function completeFilter(text: string, { names, values, rows }: FilterWords): readonly string[] {
  const start = lastWordStart(text)
  const [head, word] = [text.slice(0, start), text.slice(start)]
  const at = word.indexOf('=')
  if (at < 0) {
    return names.filter((name) => name.startsWith(word)).map((name) => `${head}${name}=`)
  }
  const name = word.slice(0, at)
  const typed = word
    .slice(at + 1)
    .replace(/^["']/, '')
    .toLowerCase()
  const known = values[name] ?? valuesIn(rows, name.replace(/\[.*$/s, ''))
  return known
    .filter((value) => value.toLowerCase().startsWith(typed))
    .map((value) => `${head}${name}=${quotedFilterValue(value)} `)
}

/** A value of a filter, in double quotes if the line could not be read otherwise. */
export function quotedFilterValue(value: string): string {
  return /^[^\s'"\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Distinct, in alphabetical order. */
export function valuesIn(rows: readonly CrmRecord[], name: string): readonly string[] {
  const found = new Set(rows.slice(0, MOST_LOOKED_AT).map((row) => cellText(row[name])))
  found.delete('')
  return [...found].toSorted()
}

/** After the last blank outside of quotes. */
export function lastWordStart(text: string): number {
  let quote = ''
  let start = 0
  for (const [at, char] of Array.from(text).entries()) {
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === ' ') start = at + 1
  }
  return start
}
