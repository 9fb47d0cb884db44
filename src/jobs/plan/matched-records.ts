import type { KeyReader, KeyReadTerms } from '../../api/keyed-reads.ts'
import type { ValuesOf } from '../../connector/record-map.ts'
import { listedId } from '../../core/record-ids.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { InputRow } from '../input/row.ts'
import type { JobDraft } from '../store/job-folder.ts'
import { alternativeIn, alternativesOf, Existing, keyOfRow, keysOfRecord, type Match } from './existing.ts'
import type { MatchShown } from './match-rows.ts'

/** The records that rows are matched with. */
export interface MatchedRecords extends Pick<Existing, 'find' | 'close'> {
  /** The rows, with their records at hand while they are iterated. */
  prepared(rows: AsyncIterable<readonly InputRow[]>): AsyncIterable<readonly InputRow[]>
  /** Whether a record was found that has several keys. */
  readonly hasSeveralKeys: boolean
  /** After the rows, whose errors come first: CrmError `bad_answer` if no record could have matched. */
  judge(): void
}

type Rows = AsyncIterable<readonly InputRow[]>

export interface MatchingParts extends AskingParts {
  readonly draft: JobDraft
  readonly list: () => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Asks for records by the field that rows are matched by; undefined: the list is read. */
  readonly keyed: KeyReader | undefined
}

interface AskingParts {
  /** Called with the number of further records read. */
  readonly onRead: (count: number) => void
  readonly reading: KeyReadTerms
  readonly valuesOf: ValuesOf
  /** Sees each record that is read. */
  readonly seen: MatchShown
  readonly note: (line: string) => void
}

/** By their keys where the server can be asked so, else from the whole list. */
export async function openMatched(parts: MatchingParts, names: readonly string[]): Promise<MatchedRecords> {
  return parts.keyed ? new KeyedRecords(parts.keyed, names, parts) : readWhole(parts, names)
}

async function readWhole(
  { draft, list, onRead, valuesOf, seen, note }: MatchingParts,
  names: readonly string[],
): Promise<MatchedRecords> {
  const counts: number[] = []
  let hasSeveralKeys = false
  const keyOf = (record: CrmRecord) => {
    const keys = keysOfRecord(record, names, valuesOf)
    seen.see(record, keys)
    hasSeveralKeys ||= keys.length > 1
    return keys
  }
  const existing = await Existing.read({ folder: draft.folder, pages: list(), keyOf, onRead })
  return {
    prepared: (rows) => rows,
    get hasSeveralKeys() {
      return hasSeveralKeys
    },
    find: (key, most) => {
      const found = existing.find(key, most)
      const at = alternativeIn(key ?? '')
      if (found.length > 0) counts[at] = (counts[at] ?? 0) + 1
      return found
    },
    judge: () => {
      seen.judge()
      const by = alternativesOf(names).map((own, at) => `${counts[at] ?? 0} by ${own.join(', ')}`)
      if (by.length > 1) note(`Matched rows: ${by.join(', ')}.`)
    },
    close: () => existing.close(),
  }
}

/** Requests under way at the same time: more would only wait for the rate limit. */
const MOST_AT_ONCE = 4

/** Asks for the records of some hundred rows at a time, and keeps no others. */
class KeyedRecords implements MatchedRecords {
  readonly #reader: KeyReader
  readonly #names: readonly string[]
  readonly #parts: AskingParts
  #found = new Map<string, Match[]>()
  hasSeveralKeys = false

  constructor(reader: KeyReader, names: readonly string[], parts: AskingParts) {
    this.#reader = reader
    this.#names = names
    this.#parts = parts
  }

  async *prepared(rows: Rows): AsyncGenerator<readonly InputRow[], void, undefined> {
    const most = this.#reader.size * MOST_AT_ONCE
    let waiting: InputRow[] = []
    for await (const some of rows) {
      waiting.push(...some)
      while (waiting.length >= most) {
        const next = waiting.slice(0, most)
        waiting = waiting.slice(most)
        await this.#ask(next)
        yield next
      }
    }
    await this.#ask(waiting)
    yield waiting
  }

  find(key: string | undefined, most = 2): readonly Match[] {
    return key === undefined ? [] : (this.#found.get(key) ?? []).slice(0, most)
  }

  judge(): void {
    this.#parts.seen.judge()
  }

  close(): void {}

  async #ask(rows: readonly InputRow[]): Promise<void> {
    const [name = ''] = this.#names
    const values = rows.flatMap((row) => {
      const value = keyOfRow(row, this.#names) === undefined ? undefined : name === 'id' ? row.id : row.fields[name]
      return value ?? []
    })
    const { size } = this.#reader
    const requests = Array.from({ length: Math.ceil(values.length / size) }, (_, n) =>
      this.#reader.read(values.slice(n * size, (n + 1) * size), this.#parts.reading),
    )
    this.#found = new Map()
    for (const record of (await Promise.all(requests)).flat()) this.#keep(record)
    this.#parts.onRead([...this.#found.values()].flat().length)
  }

  /** A server may also find records by values that they do not show; they match no row. */
  #keep(record: CrmRecord): void {
    const keys = keysOfRecord(record, this.#names, this.#parts.valuesOf)
    this.#parts.seen.see(record, keys)
    this.hasSeveralKeys ||= keys.length > 1
    for (const key of keys) {
      const before = this.#found.get(key) ?? []
      this.#found.set(key, [...before, { id: listedId(record), record }])
    }
  }
}
