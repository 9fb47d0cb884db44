import { type Command, Option } from 'commander'
import type { Page } from '../../api/operations.ts'
import type { Context } from '../../context.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimalJson,
  decimalOf,
  dividedDecimal,
  shareOf,
  ZERO,
} from '../../core/decimal.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { type CrmRecord, isNumeric, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { cellText, jsonText } from '../../output/safe-text.ts'
import { barText } from '../../output/terminal-text.ts'
import { parseCount } from '../flags.ts'
import { allOf, createMemberCheck } from '../member-check.ts'
import { chosenPages, type List } from '../print.ts'
import { printDerived } from '../print-derived.ts'
import { SORT_HELP } from '../sorted-list.ts'

const BAR_WIDTH = 24

export interface SummaryFlags {
  readonly summary?: string
  readonly measures?: string
  readonly sort?: string
  readonly top?: number
}

export function addSummaryFlags(command: object, resource: ListedResource): void {
  const { plural } = RESOURCES[resource]
  const options = [
    new Option('--summary <members>', `${plural} by the values of one or more members, instead of a list`),
    new Option('--measures <list>', 'with --summary: count, sum(M), avg(M), median(M), min(M), max(M)'),
    new Option('--sort <members>', `${SORT_HELP}; with --summary: by a column of it`),
    new Option('--top <n>', 'with --summary: the first n rows').argParser(parseCount),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** CrmError `usage` for flags that only apply to a summary. */
export function refuseWithoutSummary(flags: SummaryFlags): void {
  const given = (['measures', 'top'] as const).find((name) => flags[name] !== undefined)
  if (flags.summary !== undefined || given === undefined) return
  throw new CrmError('usage', `--${given} applies to a summary`, { hint: 'add --summary MEMBER, or leave it out' })
}

interface Summary {
  readonly members: readonly string[]
  readonly measures: readonly Measure[]
  /** As columns. */
  readonly names: readonly string[]
}

/** The groups of a list by the values of members, with their measures; tables have a bar as well. */
export async function printSummary(
  ctx: Context,
  list: List,
  resource: ListedResource,
  flags: SummaryFlags,
): Promise<undefined> {
  const { uses } = await ctx.expr()
  const summary = summaryOf(resource, flags)
  const read = [...summary.members, ...summary.measures.flatMap(({ of }) => (of ? [of.member] : []))]
  const used = read.map((member) => ({
    flag: '--summary',
    path: [member],
    mayBeAbsent: member === ownAmount(resource),
  }))
  const check = allOf([createMemberCheck(ctx, resource, [...uses('none'), ...used]), ...(list.checks ?? [])])
  const { groups, unmeasured } = await groupBy(await chosenPages(ctx, list, check), summary)
  const { order, by } = orderOf(summary, flags.sort)
  const sorted = groups.toSorted(order)
  const shown = sorted.slice(0, flags.top)
  const most = groups.reduce((largest, group) => larger(largest, group.measured(by) ?? ZERO), ZERO)
  const isTable = ctx.flags.output === 'table'
  const rows = shown.map((group) => ({
    ...Object.fromEntries(summary.members.map((member, at) => [member, group.values[at] ?? null])),
    ...Object.fromEntries(summary.measures.map((measure, at) => [summary.names[at] ?? '', group.shown(measure)])),
    ...(isTable && { bar: barText(shareOf(group.measured(by) ?? ZERO, most), BAR_WIDTH) }),
  }))
  if (unmeasured > 0)
    ctx.note(
      `Not measured: ${unmeasured} ${unmeasured === 1 ? 'value that is not a number' : 'values that are not numbers'}.`,
    )
  const columns = [...summary.members, ...summary.names, ...(isTable ? ['bar'] : [])]
  await printDerived(ctx, { rows, columns, plural: RESOURCES[resource].plural })
  if (shown.length < groups.length) ctx.note(`The first ${shown.length} of ${groups.length} rows.`)
  await check.judge()
}

/** Deals are summed without being asked; the column has the name of the member. */
function ownAmount(resource: ListedResource): string | undefined {
  return isNumeric(resource, 'amount') ? 'amount' : undefined
}

function summaryOf(resource: ListedResource, { summary = '', measures }: SummaryFlags): Summary {
  const members = summary.split(',').map((member) => member.trim())
  if (members.some((member) => member === '') || new Set(members).size < members.length) {
    throw new CrmError('usage', `--summary ${JSON.stringify(summary)}: expected members, each once`, {
      hint: 'such as --summary stage, or --summary stage,owner_id',
    })
  }
  if (measures !== undefined) {
    const parsed = parseMeasures(measures)
    return { members, measures: parsed, names: parsed.map(({ text }) => text) }
  }
  const amount = ownAmount(resource)
  const parsed = parseMeasures(amount === undefined ? 'count' : `count,sum(${amount})`)
  return { members, measures: parsed, names: ['count', amount ?? ''].slice(0, parsed.length) }
}

async function groupBy(
  pages: AsyncIterable<Page>,
  { members, measures }: Summary,
): Promise<{ readonly groups: readonly Group[]; readonly unmeasured: number }> {
  const groups = new Map<string, Group>()
  const measured = [...new Set(measures.flatMap(({ of }) => (of ? [of.member] : [])))]
  let unmeasured = 0
  for await (const { items } of pages) {
    for (const record of items) {
      const values = members.map((member) => (Object.hasOwn(record, member) ? (record[member] ?? null) : null))
      const name = jsonText(values.map(cellText))
      const group = groups.get(name) ?? new Group(values)
      groups.set(name, group)
      unmeasured += group.add(record, measured)
    }
  }
  return { groups: [...groups.values()], unmeasured }
}

interface Order {
  readonly order: (one: Group, other: Group) => number
  /** What the bars show. */
  readonly by: Measure
}

/** By the last measure, the largest first, unless `--sort` names a column. */
function orderOf({ members, measures, names }: Summary, sort: string | undefined): Order {
  const last = measures.at(-1) ?? { text: 'count', of: undefined }
  const isDown = sort === undefined || sort.startsWith('-')
  const column = sort?.replace(/^-/, '')
  const sign = isDown ? -1 : 1
  const at = members.indexOf(column ?? '')
  if (at >= 0)
    return { by: last, order: (one, other) => sign * compareValues(one.values[at] ?? null, other.values[at] ?? null) }
  const by = column === undefined ? last : measures[names.indexOf(column)]
  if (by)
    return { by, order: (one, other) => sign * compareDecimals(one.measured(by) ?? ZERO, other.measured(by) ?? ZERO) }
  throw new CrmError('usage', `--sort ${JSON.stringify(sort)}: the summary has no column ${JSON.stringify(column)}`, {
    hint: `expected one of ${[...members, ...names].join(', ')}`,
  })
}

function compareValues(one: JsonValue, other: JsonValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [first, second] = [cellText(one), cellText(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

function larger(one: Decimal, other: Decimal): Decimal {
  return compareDecimals(one, other) < 0 ? other : one
}

/** `count`, or `sum(amount)`; `text` is its column. */
interface Measure {
  readonly text: string
  /** Undefined: `count`. */
  readonly of: { readonly what: Aggregate; readonly member: string } | undefined
}

const AGGREGATES = ['sum', 'avg', 'median', 'min', 'max'] as const

type Aggregate = (typeof AGGREGATES)[number]

/** `count,sum(amount)`. CrmError `usage` for anything else. */
function parseMeasures(text: string): readonly Measure[] {
  return text.split(',').map((each) => parseMeasure(each.trim()))
}

function parseMeasure(text: string): Measure {
  if (text === 'count') return { text, of: undefined }
  const [, name, member] = /^(\w+)\(([^()]+)\)$/.exec(text) ?? []
  const what = AGGREGATES.find((each) => each === name)
  if (what && member) return { text, of: { what, member } }
  throw new CrmError('usage', `--measures: ${JSON.stringify(text)} is no measure`, {
    hint: `expected count, or ${AGGREGATES.map((each) => `${each}(MEMBER)`).join(', ')}, such as --measures 'count,sum(amount)'`,
  })
}

/** The numbers of one member in one group. */
class Numbers {
  readonly all: Decimal[] = []

  of(what: Aggregate): Decimal | undefined {
    const { all } = this
    if (what === 'sum') return all.reduce(addDecimals, ZERO)
    if (all.length === 0) return undefined
    if (what === 'avg') return dividedDecimal(all.reduce(addDecimals, ZERO), all.length)
    const sorted = all.toSorted(compareDecimals)
    if (what !== 'median') return sorted.at(what === 'min' ? 0 : -1)
    const [low = ZERO, high = ZERO] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
    return dividedDecimal(addDecimals(low, high), 2)
  }
}

/** Records with the same values of the members that group them. */
class Group {
  readonly values: readonly JsonValue[]
  #count = 0
  readonly #numbers = new Map<string, Numbers>()

  constructor(values: readonly JsonValue[]) {
    this.values = values
  }

  /** The number of values that are no numbers, and so are in no measure. */
  add(record: CrmRecord, members: readonly string[]): number {
    this.#count++
    let others = 0
    for (const member of members) {
      const value = Object.hasOwn(record, member) ? record[member] : undefined
      const number = decimalOf(value)
      const own = this.#numbers.get(member) ?? new Numbers()
      this.#numbers.set(member, own)
      if (number) own.all.push(number)
      else if (value !== undefined && value !== null) others++
    }
    return others
  }

  /** Undefined for a measure of no numbers. */
  measured({ of }: Measure): Decimal | undefined {
    return of ? this.#numbers.get(of.member)?.of(of.what) : { digits: BigInt(this.#count), scale: 0 }
  }

  shown(measure: Measure): JsonValue {
    const decimal = this.measured(measure)
    return decimal ? decimalJson(decimal) : null
  }
}
