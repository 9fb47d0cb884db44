import { closeSync, openSync, writeSync } from 'node:fs'

/** Something that does not go back. */
export interface Stays {
  readonly id: string | null
  readonly why: 'conflict' | 'gone' | 'cannot' | 'doubt'
  readonly detail: string
}

const MOST_NAMED = 5

/** Names what stays: all of it in a file, the first of each kind on screen. */
export class Staying {
  readonly #first = new Map<Stays['why'], { count: number; readonly ids: string[] }>()
  #file: number | undefined

  open(path: string): void {
    this.#file = openSync(path, 'wx', 0o600)
  }

  add(stays: Stays): 'skipped' {
    const kind = this.#first.get(stays.why) ?? { count: 0, ids: [] }
    this.#first.set(stays.why, kind)
    kind.count += 1
    if (kind.ids.length < MOST_NAMED) kind.ids.push(stays.id === null ? stays.detail : `${stays.id} (${stays.detail})`)
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(stays)}\n`)
    return 'skipped'
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  lines(job: string): readonly string[] {
    const lines = [...this.#first].map(([why, { count, ids }]) => {
      const more = count > ids.length ? `, and ${count - ids.length} more` : ''
      return `${count} ${WORDS[why]}: ${ids.join(', ')}${more}`
    })
    return lines.length === 0 ? [] : [`Of ${job} this stays as it is:`, ...lines]
  }
}

const WORDS: Readonly<Record<Stays['why'], string>> = {
  conflict: 'changed by somebody since',
  gone: 'not there any more',
  cannot: 'cannot be taken back',
  doubt: 'in doubt, and may be there',
}
