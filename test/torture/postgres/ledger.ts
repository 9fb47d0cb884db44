export type Kind = 'contact' | 'deal' | 'note'

export const PLURALS = { contact: 'contacts', deal: 'deals', note: 'notes' } as const satisfies Record<Kind, string>

/** What a client knows of a record that it has tried to make. */
export interface Entry {
  readonly kind: Kind
  /** In the record; no other record has it. */
  readonly marker: string
  /** Of a note. */
  readonly deal: Entry | undefined
  /** Since the create was acknowledged. */
  id: string | undefined
  /** When that was, as `performance.now()`. */
  madeAtMs: number
  /** The last acknowledged value, and the version that belongs to it. */
  value: number
  version: number
  /** Of an update that was given up without an answer, after which the record is left alone. */
  doubtful: number | undefined
  /** When a delete was sent first. */
  deleteAtMs: number | undefined
  isDeleted: boolean
}

/** Everything that clients sent and heard. */
export class Ledger {
  readonly entries: Entry[] = []
  /** Acknowledged writes, those given up, and requests that were repeated with their key. */
  readonly counts = { acknowledged: 0, givenUp: 0, repeated: 0, reads: 0 }
  readonly faults: string[] = []
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  add(kind: Kind, marker: string, deal?: Entry): Entry {
    const entry: Entry = {
      ...{ kind, marker, deal, id: undefined, madeAtMs: 0, value: 0, version: 1 },
      ...{ doubtful: undefined, deleteAtMs: undefined, isDeleted: false },
    }
    this.entries.push(entry)
    return entry
  }

  fault(text: string): void {
    this.faults.push(text)
    this.#print(`FAULT: ${text}`)
  }

  /** Records that a list read from `startMs` until now must show. */
  mustShow(kind: Kind, startMs: number): readonly Entry[] {
    return this.entries.filter(
      (entry) =>
        entry.kind === kind && entry.id !== undefined && entry.madeAtMs < startMs && entry.deleteAtMs === undefined,
    )
  }
}

/** Notes end with their deal. */
export function isGone(entry: Entry): boolean {
  return entry.isDeleted || (entry.deal?.isDeleted ?? false)
}

export function mayBeGone(entry: Entry): boolean {
  return (entry.deleteAtMs ?? entry.deal?.deleteAtMs) !== undefined
}
