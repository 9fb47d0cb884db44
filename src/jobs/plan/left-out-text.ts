import type { JsonValue } from '../../core/json.ts'
import { jsonText } from '../../output/json-text.ts'
import type { LeavingOut, LeftOut } from './left-out.ts'

const MOST_NAMED = 5
const LONGEST_VALUE = 40

const WORDS: Readonly<Record<LeftOut['code'], string>> = {
  empty_row: 'empty',
  no_match: 'without a match',
  done_before: 'done before',
  conflict: 'changed by somebody since',
  as_before: 'as it was before already',
  gone: 'not there any more',
  cannot: 'cannot be taken back',
  in_doubt: 'in doubt, and may be there',
  ambiguous_match: 'ambiguous',
}

/** For people: how many rows are left out and why, and the first of each kind. */
export function leftOutLines({ counts, first }: LeavingOut, head: string): readonly string[] {
  const lines = [...counts].map(([code, count]) => {
    const named = namesOf(first.filter((one) => one.code === code))
    const shown = named.slice(0, MOST_NAMED)
    const more = count > shown.length ? `, and ${count - shown.length} more` : ''
    return `${count} ${WORDS[code]}: ${shown.join(', ')}${more}`
  })
  return lines.length === 0 ? [] : [head, ...lines]
}

/** One a row, whatever the number of its members. */
function namesOf(all: readonly LeftOut[]): readonly string[] {
  return [...Map.groupBy(all, ({ line, id, reason, field }) => id ?? line ?? `${field} ${reason}`).values()].map(
    (members) => {
      const [{ line, id, reason, code } = {} as LeftOut] = members
      const place = id ?? (line === null ? reason : `line ${line}`)
      if (code === 'conflict') return `${place} (${members.map(memberText).join('; ')})`
      const isBare = code !== 'ambiguous_match' && (id === null || reason === WORDS[code])
      return isBare ? place : `${place} (${reason})`
    },
  )
}

/** The three sides of a conflict. */
function memberText({ field, was, wrote, now, reason }: LeftOut): string {
  if (field === null) return reason
  return `${field}: was ${valueText(was)}, the job wrote ${valueText(wrote)}, is ${valueText(now)} now`
}

function valueText(value: JsonValue): string {
  if (value === null) return 'empty'
  const text = jsonText(value)
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`
}
