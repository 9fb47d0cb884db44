import type { ResourceDocument } from './document.ts'
import type { RecordMap } from './record-map.ts'
import type { RequestParts } from './requests.ts'

/** The members that requests name, for servers that show only what they are asked for. */
export interface Selection {
  /** From now on these members, under crm's names or the server's own, are asked for, too. */
  ask(names: Iterable<string>): void
  /** As many of them as an address has room for; returns the others. */
  askWithin(names: Iterable<string>): readonly string[]
  /** Those that were asked for beside what the fields need; undefined for servers that show every member. */
  readonly asked: readonly string[] | undefined
  /** The parts of a request with these names. */
  added(parts: RequestParts): RequestParts
}

/** Many servers refuse an address of more than 8,000 characters. */
const MOST_CHARS = 6000

export function createSelection({ select }: ResourceDocument, map: RecordMap): Selection {
  const names = new Set(map.readNames)
  const asked = new Set<string>()
  const ask = (name: string) => {
    const own = map.ownNameOf(name)
    if (own === undefined) return
    asked.add(own)
    names.add(own)
  }
  const charsOf = (name: string) =>
    encodeURIComponent(name).length + (select?.as === 'repeat' ? select.param.length + 2 : 3)
  return {
    ask: (given) => {
      for (const name of given) ask(name)
    },
    askWithin: (given) => {
      let chars = [...names].reduce((sum, name) => sum + charsOf(name), 0)
      return [...given].filter((name) => {
        if (names.has(name)) return false
        chars += charsOf(name)
        if (chars > MOST_CHARS) return true
        ask(name)
        return false
      })
    },
    get asked() {
      return select && [...asked]
    },
    added: (parts) => (select ? { ...parts, select: [...names] } : parts),
  }
}
