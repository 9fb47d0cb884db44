import type { Context } from '../context.ts'
import { compareDecimals, decimalOf } from '../core/decimal.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonValue } from '../core/json.ts'
import { foldedText } from '../core/nearest.ts'
import { recordTimeMs } from '../core/record-time.ts'
import { type CrmRecord, type ListedResource, RESOURCES } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import { cellText, jsonText } from '../output/safe-text.ts'
import type { ListCheck } from './member-check.ts'

type Filters = Readonly<Record<string, string>>

interface Asked {
  /** Deals unless given. */
  readonly resource?: ListedResource
  readonly filters: Filters
  /** The flag that set the filters. */
  readonly flag: '--filter' | '--deals'
}

/** CrmError `bad_answer` for a filter that a record contradicts. What the records do not show proves nothing. */
export function createFilterCheck({ resource = 'deal', filters, flag }: Asked): ListCheck {
  const all = Object.entries(filters).map(([name, text]) => ({ name, text, rule: filterRule(name, text) }))
  let broken: Broken | undefined
  return {
    see: (records) => {
      for (const filter of all) broken ??= contradictionIn(records, filter)
    },
    judge: async () => {
      if (broken) throw notApplied(resource, broken, flag)
    },
  }
}

interface Filter {
  readonly name: string
  readonly text: string
  readonly rule: FilterRule
}

interface Broken extends Filter {
  readonly id: JsonValue | undefined
  readonly value: JsonValue
}

function contradictionIn(records: readonly CrmRecord[], filter: Filter): Broken | undefined {
  const { member, matchOf } = filter.rule
  const found = records.find((record) => record[member] !== undefined && matchOf(record[member]) === 'contradicts')
  return found && { ...filter, id: found.id, value: found[member] ?? null }
}

function notApplied(resource: ListedResource, { name, text, rule, id, value }: Broken, flag: string): CrmError {
  const shown = `the ${rule.member} of ${resource} ${idText(id) ?? 'without an id'} is ${jsonText(value)}`
  return new CrmError('bad_answer', `${flag} ${name}=${text}: the server does not apply the filter ${name}: ${shown}`, {
    hint: `crm ${RESOURCES[resource].plural} list --where ${shellWord(rule.whereFor(value))}`,
  })
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

/** `unclear`: a server that applies the filter may return this record, for example by a search for parts of texts. */
export type FilterMatch = 'agrees' | 'contradicts' | 'unclear'

/** What a filter of the contract means for one member of a record. */
export interface FilterRule {
  readonly member: string
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
    matchOf: (value) => {
      const own = fold(cellText(value))
      if (alternatives.includes(own) || own === fold(text)) return 'agrees'
      const number = decimalOf(value)
      const isSingle = typeof value === 'string' || typeof value === 'boolean' || number !== undefined
      if (!isSingle || own === '') return 'unclear'
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
