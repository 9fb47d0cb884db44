/** The changes that can be undone, the last first. */
export interface History {
  add(entry: Undo): void
  last(): Undo | undefined
}

export interface Undo {
  readonly what: string
  readonly undo: () => Promise<void>
}

export function createHistory(): History {
  const entries: Undo[] = []
  return { add: (entry) => void entries.push(entry), last: () => entries.pop() }
}
