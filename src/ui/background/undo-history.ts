import { CrmError } from '../../core/errors.ts'
import type { ServerList } from '../screens.ts'
import type { DiffLine } from '../text/diff-line.ts'

interface OfRecords {
  /** `the change of Ada`. */
  readonly what: string
  readonly name: ServerList
}

/** A change that one request takes back. */
export interface UndoOfChange extends OfRecords {
  readonly type: 'change'
  /** What that request changes. */
  readonly diff: readonly DiffLine[]
  /** Sends it; the result takes back that. */
  readonly reverse: () => Promise<Undo>
}

export type Undo =
  | UndoOfChange
  /** It cannot be taken back, and neither can what was before it: a key must not reach past what a person saw last. */
  | (OfRecords & { readonly type: 'barrier' })
  /** Taken back by a job of its own. */
  | (OfRecords & { readonly type: 'job'; readonly id: string })

export type UndoKind = 'undo' | 'redo'

/** What was done in this session, for `undo`, and what was taken back, for `redo`. */
export interface UndoHistory {
  /** Adds what a person did; what was taken back before it can no longer be done again. */
  add(entry: Undo): void
  /** The newest. It stays until it is taken back. */
  newest(kind: UndoKind): Undo | undefined
  /** The entry of a job, and what it is for. */
  ofJob(id: string): { readonly kind: UndoKind; readonly entry: Undo & { readonly type: 'job' } } | undefined
  /** The entry was taken back, or done again; `by` takes back that. */
  reversed(kind: UndoKind, entry: Undo, by: Undo): void
}

export function createUndoHistory(): UndoHistory {
  const entries: Record<UndoKind, readonly Undo[]> = { undo: [], redo: [] }
  return {
    add: (entry) => {
      entries.undo = [...entries.undo, entry]
      entries.redo = []
    },
    newest: (kind) => entries[kind].at(-1),
    ofJob: (id) => {
      for (const kind of ['undo', 'redo'] as const)
        for (const entry of entries[kind]) if (entry.type === 'job' && entry.id === id) return { kind, entry }
      return undefined
    },
    reversed: (kind, entry, by) => {
      const other = kind === 'undo' ? 'redo' : 'undo'
      entries[kind] = entries[kind].filter((each) => each !== entry)
      entries[other] = [...entries[other], by]
    },
  }
}

/** The work; where it is unknown whether it was done, a barrier. */
export async function withBarrier<Result>(
  history: Pick<UndoHistory, 'add'>,
  of: OfRecords,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CrmError && error.details.isInDoubt) history.add({ type: 'barrier', ...of })
    throw error
  }
}
