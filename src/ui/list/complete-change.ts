import type { CrmRecord } from '../../core/resources/registry.ts'
import { valuesIn } from './complete-filter.ts'

/** What the line `member=value` can hold. */
export interface ChangeWords {
  /** The members that can be changed; the value of a numeric one is JSON, behind `:=`. */
  readonly members: readonly { readonly name: string; readonly isNumeric: boolean }[]
  /** The values of some members, such as the stages. */
  readonly values: Readonly<Record<string, readonly string[]>>
  /** Records whose values are proposed for all other members. */
  readonly rows: readonly CrmRecord[]
}

/** The texts that the beginning of a change can become. The value is the rest of the line, so that it needs no quotes. */
export function completeChange(text: string, { members, values, rows }: ChangeWords): readonly string[] {
  const at = valueStart(text)
  if (at === 0) {
    const matching = members.filter(({ name }) => name.startsWith(text))
    return matching.map(({ name, isNumeric }) => `${name}${isNumeric ? ':=' : '='}`)
  }
  const [lead, typed] = [text.slice(0, at), text.slice(at).toLowerCase()]
  const name = lead.replace(/:?=$/, '')
  const known = values[name] ?? valuesIn(rows, name)
  return known.filter((value) => value.toLowerCase().startsWith(typed)).map((value) => lead + value)
}

/** Where the value begins; 0 while the member is typed. */
export function valueStart(text: string): number {
  return text.indexOf('=') + 1
}
