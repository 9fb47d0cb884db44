import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/exact-json.ts'
import { nearest } from '../../core/nearest.ts'
import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal-filters.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-word.ts'
import { jsonText } from '../../output/json-text.ts'
import type { ListCheck } from '../member-check.ts'
import { FilterSightings } from './filter-sightings.ts'

type Filters = Readonly<Record<string, string>>

interface Asked {
  readonly filters: Filters
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** The flag that set the filters. */
  readonly flag: '--filter' | '--deals'
}

/** A value that no record has. */
const NO_VALUE = 'crm-no-such-value'

/**
 * CrmError `bad_answer` for a filter that the server does not apply. The records show it; if they leave it open, one
 * request of the first page with another filter does. An empty list proves nothing.
 */
export function createFilterCheck(ctx: Context, { filters, limit, cursor, flag }: Asked): ListCheck {
  const all = Object.entries(filters).map(([name, text]) => new FilterSightings(name, text))
  let first: readonly CrmRecord[] | undefined
  const isIgnored = async (sightings: FilterSightings) => {
    // A cursor may hold the filters it was made with.
    if (cursor !== undefined || !first) return false
    const others = Object.entries(filters).filter(([name]) => name !== sightings.name)
    const withNoValue = { ...Object.fromEntries(others), [sightings.name]: NO_VALUE }
    if (sightings.hasValues()) return isFirst(withNoValue)
    if (!(await isFirst(Object.fromEntries(others)))) return false
    // Another filter may have a default, such as `archived=false`.
    return sightings.isOfContract() || isFirst(withNoValue)
  }
  const isFirst = async (changed: Filters) => {
    const page = await firstPage(ctx, { limit, filters: changed })
    return page !== undefined && jsonText(page) === jsonText(first)
  }
  return {
    see: (records) => {
      first ??= records
      for (const sightings of all) sightings.see(records)
    },
    judge: async () => {
      for (const sightings of all) {
        const effect = sightings.effect()
        const isBroken = effect === 'ignored' || (effect === 'open' && (await isIgnored(sightings)))
        if (isBroken) throw notApplied(sightings, flag)
      }
    },
  }
}

/** Undefined if the server refuses the request, as it may refuse a value that it does not know. */
async function firstPage(
  ctx: Pick<Context, 'api'>,
  query: { readonly limit: number | undefined; readonly filters: Filters },
): Promise<readonly CrmRecord[] | undefined> {
  try {
    for await (const { items } of (await ctx.api()).deals.list(query)) return items
    return []
  } catch (error) {
    const isRefusal = error instanceof CrmError && error.details.status !== undefined && error.code !== 'rate_limited'
    if (isRefusal) return undefined
    throw error
  }
}

function notApplied({ name, text, rule, contradiction }: FilterSightings, flag: string): CrmError {
  const filter = `${flag} ${name}=${text}`
  if (contradiction) {
    const { value } = contradiction
    const shown = `the ${rule.member} of deal ${idText(contradiction.id) ?? 'without an id'} is ${jsonText(value)}`
    return new CrmError('bad_answer', `${filter}: the server does not apply the filter ${name}: ${shown}`, {
      hint: `crm deals list --where ${shellWord(rule.whereFor(value))}`,
    })
  }
  const isKnown = DEAL_FILTER_PARAMETERS.some((known) => known === name)
  const meant = isKnown ? undefined : nearest(name, DEAL_FILTER_PARAMETERS)
  return new CrmError(
    'bad_answer',
    `${filter}: the server ignores the filter ${name}: the first page is the same without it`,
    {
      hint:
        meant === undefined
          ? 'leave the filter out, and choose deals with --where'
          : `did you mean ${meant}? crm deals list --filter ${shellWord(`${meant}=${text}`)}`,
    },
  )
}
