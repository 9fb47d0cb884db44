import type { Api } from '../../api/api.ts'
import type { KeyReader } from '../../api/keyed-reads.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import type { JobNoun } from './plan-format.ts'

/** How the records that rows are matched with were found. */
export interface Matching {
  readonly by: 'keys' | 'list'
  readonly fields: readonly string[]
  readonly requests: number
  /** The records read that show no value of the fields. */
  readonly unmatchable: number
}

/** Asking for fewer keys at once mostly costs more requests than the list. */
const LEAST_KEYS = 10

/** Undefined where the list is read instead. */
export async function keyReaderFor(
  { keyReader }: Pick<Api, 'keyReader'>,
  noun: JobNoun,
  [name, ...others]: readonly string[],
): Promise<KeyReader | undefined> {
  if (name === undefined || others.length > 0) return undefined
  const reader = await keyReader(resourceOf(noun), name)
  return reader && reader.size >= LEAST_KEYS ? reader : undefined
}

interface CountedReader {
  readonly reader: KeyReader | undefined
  readonly requests: number
}

export function countedReader(reader: KeyReader | undefined): CountedReader {
  let requests = 0
  const counted = reader && {
    size: reader.size,
    read: (...asked: Parameters<KeyReader['read']>) => {
      requests += 1
      return reader.read(...asked)
    },
  }
  return {
    reader: counted,
    get requests() {
      return requests
    },
  }
}

interface MatchingCounts {
  readonly keyRequests: number
  readonly pages: number
  readonly seen: { readonly unmatchable: { readonly count: number } }
}

export function matchingOf(
  { names }: { readonly names: readonly string[] },
  { keyRequests, pages, seen }: MatchingCounts,
): Matching | undefined {
  if (names.length === 0) return undefined
  const by = keyRequests > 0 ? 'keys' : 'list'
  const requests = keyRequests > 0 ? keyRequests : pages
  return { by, fields: names, requests, unmatchable: seen.unmatchable.count }
}
