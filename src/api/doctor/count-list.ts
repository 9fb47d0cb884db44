import { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { listPages } from '../pages/pages.ts'
import type { Http } from '../transport/http.ts'
import type { ListName } from './listing.ts'
import type { Probe } from './probe.ts'

/** Longer lists are counted up to these limits. */
const MAX_RECORDS = 5000
const MAX_PAGES = 60

/** The result of `contacts list` with some settings. */
export interface Counted {
  readonly count: number
  /** Undefined if the list was read to its end or up to the limits. */
  readonly error: CrmError | undefined
  /** The list was read to its end. */
  readonly isWhole: boolean
}

export async function countList(probe: Probe, noun: ListName, wire: Wire): Promise<Counted> {
  const call = { path: `/v1/${noun}`, action: `list ${noun}`, command: `crm ${noun} list`, findCommand: undefined }
  let count = 0
  let pages = 0
  try {
    for await (const { items } of listPages(
      probingHttp(probe),
      call,
      { limit: MAX_RECORDS, cursor: undefined, filters: {} },
      wire,
    )) {
      count += items.length
      // `contacts list` does not stop at empty pages either.
      if (items.length > 0) pages += 1
      if (pages === MAX_PAGES || !probe.hasTimeToSearch()) return { count, error: undefined, isWhole: false }
    }
    return { count, error: undefined, isWhole: count < MAX_RECORDS }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return { count, error, isWhole: false }
  }
}

/** Fewer records, or an error in place of success. */
export function isWorse(after: Counted, before: Counted): boolean {
  return after.count < before.count || (after.error !== undefined && before.error === undefined)
}

/** Sends each request once, and none after the server has stopped answering. */
function probingHttp(probe: Probe): Http {
  return {
    ...probe.http,
    request: async ({ path, query, address, action, command }) => {
      const settled = await probe.ask({
        ...{ path, action, command },
        ...(query && { query }),
        ...(address !== undefined && { address }),
      })
      if ('error' in settled) throw settled.error
      return settled.answer
    },
  }
}
