import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { foldedText } from '../../core/folded-text.ts'
import { idText, type JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { cellText, jsonText } from '../../output/value-text.ts'
import type { ListCheck } from '../member-check.ts'
import { type FilterRule, filterRule } from './filter-rule.ts'

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

/** Undefined if the server refuses the request, for example because of an unknown value. */
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

/**
 * CrmError `usage` for a stage in `--filter` that no pipeline has, when the server lists pipelines. It is asked only about
 * stages without a deal.
 */
export function createStageCheck(ctx: Pick<Context, 'jobs'>, filters: Readonly<Record<string, string>>): ListCheck {
  const unseen = new Map((filters.stage?.split(',') ?? []).map((stage) => [stage.toLowerCase(), stage]))
  return {
    see: (deals) => {
      for (const { stage } of deals) if (typeof stage === 'string') unseen.delete(stage.toLowerCase())
    },
    judge: async () => {
      if (unseen.size === 0) return
      const wrong = await (await ctx.jobs()).unknownStage([...unseen.values()])
      if (!wrong) return
      const what = `--filter stage=${filters.stage}: no pipeline has the stage ${JSON.stringify(wrong.shown)}`
      throw new CrmError('usage', `${what}: ${wrong.message}`, { hint: 'crm pipelines list' })
    },
  }
}

/** How the records of a list compare with one of its filters. */
class FilterSightings {
  readonly name: string
  readonly text: string
  readonly rule: FilterRule
  /** The first record that does not match. */
  contradiction: { readonly id: JsonValue | undefined; readonly value: JsonValue } | undefined
  readonly #count = { all: 0, withMember: 0, agrees: 0, contradicts: 0, unclear: 0 }
  readonly #unseen: Set<string>

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
    this.rule = filterRule(name, text)
    this.#unseen = new Set(this.rule.alternatives)
  }

  see(records: readonly CrmRecord[]): void {
    for (const record of records) {
      this.#count.all++
      const value = record[this.rule.member]
      if (value === undefined) continue
      this.#count.withMember++
      const match = this.rule.matchOf(value)
      this.#count[match]++
      if (match === 'agrees') this.#unseen.delete(foldedText(cellText(value)) ?? '')
      if (match === 'contradicts') this.contradiction ??= { id: record.id, value }
    }
  }

  /** Whether the filter compares a member with values. Ranges do not; other filters of the server may not. */
  hasValues(): boolean {
    return this.rule.alternatives.length > 0 && (this.#count.withMember > 0 || this.isOfContract())
  }

  /**
   * `ignored`: some records match and others do not. `open`: the server may read the filter otherwise (ids, `me`, parts of
   * texts), or does not show what it filters by.
   */
  effect(): 'applied' | 'ignored' | 'open' {
    const { all, withMember, agrees, contradicts, unclear } = this.#count
    if (all === 0) return 'applied'
    if (withMember === 0) return this.hasValues() || !this.isOfContract() ? 'open' : 'applied'
    if (contradicts > 0) return agrees > 0 && this.#unseen.size === 0 ? 'ignored' : 'open'
    return unclear > 0 && this.hasValues() ? 'open' : 'applied'
  }

  isOfContract(): boolean {
    return DEAL_FILTER_PARAMETERS.some((known) => known === this.name)
  }
}
