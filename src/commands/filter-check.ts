import type { Context } from '../context.ts'
import { compareDecimals, decimalOf } from '../core/decimal.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonValue } from '../core/json.ts'
import { foldedText, nearest } from '../core/nearest.ts'
import { recordTimeMs } from '../core/record-time.ts'
import { type CrmRecord, filtersOf, type ListedResource, RESOURCES } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import { cellText, jsonText } from '../output/safe-text.ts'
import type { ListCheck } from './member-check.ts'

type Filters = Readonly<Record<string, string>>

interface Asked {
  /** Deals unless given. */
  readonly resource?: ListedResource
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
export function createFilterCheck(ctx: Context, { resource = 'deal', filters, limit, cursor, flag }: Asked): ListCheck {
  const all = Object.entries(filters).map(([name, text]) => new FilterSightings(name, text, filtersOf(resource)))
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
    const page = await firstPage(ctx, resource, { limit, filters: changed })
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
        if (isBroken) throw notApplied(resource, sightings, flag)
      }
    },
  }
}

/** Undefined if the server refuses the request, for example because of an unknown value. */
async function firstPage(
  ctx: Pick<Context, 'api'>,
  resource: ListedResource,
  query: { readonly limit: number | undefined; readonly filters: Filters },
): Promise<readonly CrmRecord[] | undefined> {
  try {
    for await (const { items } of (await ctx.api())[RESOURCES[resource].plural].list(query)) return items
    return []
  } catch (error) {
    const isRefusal = error instanceof CrmError && error.details.status !== undefined && error.code !== 'rate_limited'
    if (isRefusal) return undefined
    throw error
  }
}

function notApplied(
  resource: ListedResource,
  { name, text, rule, contradiction }: FilterSightings,
  flag: string,
): CrmError {
  const { plural } = RESOURCES[resource]
  const filter = `${flag} ${name}=${text}`
  if (contradiction) {
    const { value } = contradiction
    const shown = `the ${rule.member} of ${resource} ${idText(contradiction.id) ?? 'without an id'} is ${jsonText(value)}`
    return new CrmError('bad_answer', `${filter}: the server does not apply the filter ${name}: ${shown}`, {
      hint: `crm ${plural} list --where ${shellWord(rule.whereFor(value))}`,
    })
  }
  const known = filtersOf(resource)
  const meant = known.includes(name) ? undefined : nearest(name, known)
  return new CrmError(
    'bad_answer',
    `${filter}: the server ignores the filter ${name}: the first page is the same without it`,
    {
      hint:
        meant === undefined
          ? `leave the filter out, and choose ${plural} with --where`
          : `did you mean ${meant}? crm ${plural} list --filter ${shellWord(`${meant}=${text}`)}`,
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
  readonly #isKnown: boolean

  constructor(name: string, text: string, known: readonly string[]) {
    this.#isKnown = known.includes(name)
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
    return this.#isKnown
  }
}

/** `unclear`: a server that applies the filter may return this record, for example by a search for parts of texts. */
export type FilterMatch = 'agrees' | 'contradicts' | 'unclear'

/** What a filter of the contract means for one member of a record. */
export interface FilterRule {
  readonly member: string
  /** The values that are alternatives, folded; empty for a range. */
  readonly alternatives: readonly string[]
  matchOf(value: JsonValue): FilterMatch
  /** The same choice for `--where`; `value` is one that contradicts. */
  whereFor(value: JsonValue): string
}

function filterRule(name: string, text: string): FilterRule {
  if (name === 'created_since') return timeRule(text, 1)
  if (name === 'created_until') return timeRule(text, -1)
  const range = /^(.+)\[(gte|lte)\]$/.exec(name)
  if (range) return numberRule(range[1] ?? '', text, range[2] === 'gte' ? 1 : -1)
  return equalityRule(name, text)
}

function equalityRule(member: string, text: string): FilterRule {
  const values = text.split(',')
  const alternatives = [...new Set(values.map((value) => fold(value)))]
  const numbers = values.flatMap((value) => decimalOf(value) ?? [])
  return {
    member,
    alternatives,
    matchOf: (value) => {
      const own = fold(cellText(value))
      if (alternatives.includes(own) || own === fold(text)) return 'agrees'
      const number = decimalOf(value)
      const isPlain = typeof value === 'string' || typeof value === 'boolean' || number !== undefined
      if (!isPlain || own === '') return 'unclear'
      if (number) return numbers.some((each) => compareDecimals(each, number) === 0) ? 'agrees' : 'contradicts'
      return alternatives.some((each) => own.includes(each)) ? 'unclear' : 'contradicts'
    },
    whereFor: (value) => {
      const literal = (each: string) => (typeof value === 'string' || !decimalOf(each) ? jsonText(each) : each)
      return values.map((each) => `${jqMember(member)} == ${literal(each)}`).join(' or ')
    },
  }
}

function numberRule(member: string, text: string, sign: 1 | -1): FilterRule {
  const bound = decimalOf(text)
  return {
    member,
    alternatives: [],
    matchOf: (value) => {
      const number = decimalOf(value)
      if (!bound || !number) return 'unclear'
      return compareDecimals(number, bound) * sign >= 0 ? 'agrees' : 'contradicts'
    },
    whereFor: (value) => {
      const number = typeof value === 'string' ? `(${jqMember(member)} | tonumber)` : jqMember(member)
      return `${number} ${sign === 1 ? '>=' : '<='} ${text}`
    },
  }
}

const SECOND_MS = 1000
const TWO_DAYS_MS = 2 * 86_400_000

/** Servers may show whole seconds, read a date as its end, and read a time without an offset in any zone. */
function timeRule(text: string, sign: 1 | -1): FilterRule {
  const boundMs = Date.parse(text)
  return {
    member: 'created_at',
    alternatives: [],
    matchOf: (value) => {
      const timeMs = recordTimeMs(value)
      const aheadMs = (timeMs - boundMs) * sign
      if (Number.isNaN(aheadMs)) return 'unclear'
      const slackMs = [text, String(value)].every((each) => /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(each))
        ? SECOND_MS
        : TWO_DAYS_MS
      if (aheadMs >= 0) return 'agrees'
      return aheadMs < -slackMs ? 'contradicts' : 'unclear'
    },
    whereFor: () => `(.created_at | age) ${sign === 1 ? '<=' : '>='} (${jsonText(text)} | age)`,
  }
}

function fold(text: string): string {
  return foldedText(text) ?? ''
}

function jqMember(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.[${jsonText(name)}]`
}

/** For a server that refuses a filter: the same choice for `--where`, with which crm reads the whole list. */
export async function* withWhereHint<Page>(
  pages: AsyncIterable<Page>,
  { resource, filters }: { readonly resource: ListedResource; readonly filters: Filters },
): AsyncGenerator<Page> {
  try {
    yield* pages
  } catch (error) {
    const isRefusal = error instanceof CrmError && (error.code === 'bad_request' || error.code === 'invalid_values')
    const entries = Object.entries(filters)
    if (!isRefusal || entries.length === 0) throw error
    const where = entries.map(([name, text]) => `(${filterRule(name, text).whereFor(text)})`).join(' and ')
    throw new CrmError(error.code, error.message, {
      ...error.details,
      hint: `without the server: crm ${RESOURCES[resource].plural} list --where ${shellWord(where)}`,
    })
  }
}
