import { grouped } from '../../output/progress.ts'

/** Equal changes of one or more records: `company: Acme -> BULK (5,012)`. */
export interface DiffLine {
  /** `company`, or for a single record `Ada company`. */
  readonly label: string
  /** Undefined: there was none. */
  readonly old: string | undefined
  /** Undefined: it is removed. */
  readonly new: string | undefined
  readonly count: number
}

/** The line without colour. */
export function diffText(line: DiffLine): string {
  return diffParts(line)
    .map(({ text }) => text)
    .join('')
}

export interface DiffPart {
  readonly text: string
  readonly as: 'plain' | 'old' | 'new'
}

/** `(none)` stands for an empty value. */
export function diffParts({ label, old, new: next, count }: DiffLine): readonly DiffPart[] {
  const number = count > 1 ? ` (${grouped(count)})` : ''
  if (label === 'created' || label === 'delete') {
    const part = { text: next ?? old ?? '', as: next === undefined ? ('old' as const) : ('new' as const) }
    return [{ text: `${label}: `, as: 'plain' }, part]
  }
  return [
    { text: `${label}: `, as: 'plain' },
    { text: old ?? '(none)', as: 'old' },
    { text: ' -> ', as: 'plain' },
    { text: next ?? '(none)', as: 'new' },
    { text: number, as: 'plain' },
  ]
}
