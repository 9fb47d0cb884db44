import type { JsonValue } from '../../core/json.ts'
import { jsonText } from '../../output/safe-text.ts'

/** Rows named for a reason, and for all of them. */
const MOST_NAMED = 5
const MOST_ROWS = 20

const LONGEST_VALUE = 40

const WORDS = {
  empty_row: 'empty',
  no_match: 'without a match',
  done_before: 'done before',
  conflict: 'changed since, or not kept by the server',
  as_before: 'already as before the job',
  gone: 'no longer there',
  cannot: 'cannot be reverted',
  in_doubt: 'in doubt, and may exist',
  ambiguous_match: 'ambiguous',
  same_key: 'with the key of another row',
  beyond_limit: 'beyond --limit or --sample',
} as const

/** A row that is skipped, or a member of a record that is not reverted; docs/job-format.md. */
export interface LeftOut {
  readonly line: number | null
  readonly id: string | null
  /** Why it is left out. */
  readonly code: keyof typeof WORDS
  /** The member that someone else changed since; null: the whole record or row. */
  readonly field: string | null
  readonly reason: string
  /** Of that member, before the job; null where it had no value. */
  readonly was: JsonValue
  /** What the job wrote into it. */
  readonly wrote: JsonValue
  readonly now: JsonValue
}

/** A whole row, or a whole record. */
export function leftOutEntry(
  code: LeftOut['code'],
  reason: string,
  { line = null, id = null }: { readonly line?: number | null | undefined; readonly id?: string | null | undefined },
): LeftOut {
  return { line, id, code, field: null, reason, was: null, wrote: null, now: null }
}

/** The number kept in memory, to be shown before the job exists. */
const MOST_SHOWN = 1000

/** What a plan leaves out: the first entries in memory, and all of it where `keep` puts it. */
export class LeftOutRows {
  readonly first: LeftOut[] = []
  readonly #counts = new Map<LeftOut['code'], number>()
  readonly #keep: (text: string) => void

  /** `keep`: called with each entry as JSON. */
  constructor(keep: (text: string) => void = () => {}) {
    this.#keep = keep
  }

  /** Adds one row: an entry for each of its members that are left out, or one for the whole row. */
  add(lines: readonly LeftOut[]): void {
    const [first] = lines
    if (!first) return
    this.count(first.code, 1)
    for (const line of lines) {
      if (this.first.length < MOST_SHOWN) this.first.push(line)
      this.#keep(JSON.stringify(line))
    }
  }

  /** Counts rows without an entry. */
  count(code: LeftOut['code'], rows: number): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + rows)
  }

  get counts(): ReadonlyMap<LeftOut['code'], number> {
    return this.#counts
  }
}

/** For people: how many rows are left out and why, and the first of each kind. */
export function leftOutLines({ counts, first }: LeftOutRows, head: string): readonly string[] {
  let room = MOST_ROWS
  const lines = [...counts].map(([code, count]) => {
    const named = namesOf(first.filter((one) => one.code === code))
    const shown = named.slice(0, Math.min(MOST_NAMED, room))
    room -= shown.length
    if (shown.length === 0) return `${count} ${WORDS[code]}`
    const more = count > shown.length ? `, and ${count - shown.length} more` : ''
    return `${count} ${WORDS[code]}: ${shown.join(', ')}${more}`
  })
  return lines.length === 0 ? [] : [head, ...lines]
}

/** One name per row, whatever the number of its members. */
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
