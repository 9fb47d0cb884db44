import { addDecimals, compareDecimals, type Decimal, decimalOf, shareOf, ZERO } from '../../core/decimal.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { grouped } from '../../output/progress.ts'
import { cellText } from '../../output/safe-text.ts'
import { shortNumber, shortTime, startOfDay } from '../list/columns.ts'
import type { ListState } from '../list/list-state.ts'
import { serverFilterText } from '../list/server-filters.ts'
import { resultTone, stageTone, type Tone, toneOf } from '../look/theme.ts'
import { HOME_LISTS, type ServerList } from '../screens.ts'
import type { State } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { type DealFigures, type DealGroup, dealFigures, STALE_DAYS, type StageGroup } from './deal-figures.ts'

export interface HomeRow {
  readonly label: string
  readonly values: readonly string[]
  /** The length of its bar, from 0 to 1. */
  readonly share?: number
  /** Values over time, the oldest first. */
  readonly spark?: readonly number[]
  readonly tone?: Tone | undefined
}

export interface HomeSection {
  readonly title: string
  /** Of how many records it is computed. */
  readonly basis: string
  readonly rows: readonly HomeRow[]
  /** What the figures mean, and why they are missing. */
  readonly notes: readonly string[]
}

/** Behind a figure of the loaded records, where they are not all. */
export function partMark({ isComplete, droppedCount }: Pick<ListState, 'isComplete' | 'droppedCount'>): string {
  return isComplete && droppedCount === 0 ? '' : '+'
}

/** `of 240 deals`, `of the 500 deals loaded; more may exist`. */
function basisText({ lists, offered }: State, name: ServerList): string {
  const { rows, droppedCount, isComplete, serverFilters, failure } = lists[name]
  const lack = offered.lacks[`list ${name}`]
  if (lack !== undefined) return lack
  const filter = serverFilterText(serverFilters)
  const chosen = filter === '' ? '' : ` with ${filter}`
  if (droppedCount > 0) return `of the last ${rows.length} ${name} loaded${chosen}; the first are no longer held`
  if (isComplete) return `of all ${rows.length} ${name}${chosen}`
  if (failure) return `of the ${rows.length} ${name} loaded${chosen}; the rest could not be loaded`
  return rows.length === 0
    ? `no ${name} are loaded yet`
    : `of the ${rows.length} ${name} loaded${chosen}; more may exist`
}

const MOST_OWNERS = 6
const MOST_STALE = 5

function dealSections(state: State): readonly HomeSection[] {
  const { lists, board, times } = state
  const figures = dealFigures(lists.deals.rows, board.stages, times.nowMs)
  const basis = basisText(state, 'deals')
  const mark = partMark(lists.deals)
  if (lists.deals.rows.length === 0) return [{ title: 'Pipeline', basis, rows: [], notes: [] }]
  return [
    pipelineSection(figures, { basis, mark, isOrderKnown: board.stages !== undefined }),
    ownerSection(figures.owners, basis, mark),
    staleSection(figures, state, basis),
  ]
}

type PipelineBasis = { readonly basis: string; readonly mark: string; readonly isOrderKnown: boolean }

function pipelineSection({ stages, unmeasured }: DealFigures, { basis, mark, isOrderKnown }: PipelineBasis) {
  const most = greatest(stages)
  const rows = stages.map(({ name, count, sum }, at) => ({
    label: name,
    values: [grouped(count) + mark, shortNumber(sum) + mark, isOrderKnown ? conversionText(stages, at) : ''],
    share: shareOf(sum, most),
    tone: stageTone(name),
  }))
  const meaning = isOrderKnown
    ? '% of the deals at the stage before or past it are at this stage or past it; lost deals are not counted, as the stage they left is not known.'
    : 'No conversion: the order of the stages is not known.'
  const those = unmeasured === 1 ? 'that is not a number' : 'that are not numbers'
  const missing = unmeasured > 0 ? [`Not in the amounts: ${grouped(unmeasured)} ${those}.`] : []
  return { title: 'Pipeline', basis, rows, notes: [meaning, ...missing] }
}

/** The share of the deals at the stage before or past it that are at this stage or past it; empty for the first, and lost ones. */
function conversionText(stages: readonly StageGroup[], at: number): string {
  const before = stages.findLastIndex(({ ends }, index) => index < at && ends !== 'lost')
  if (before < 0 || stages[at]?.ends === 'lost') return ''
  const [reached, earlier] = [countFrom(stages, at), countFrom(stages, before)]
  return earlier === 0 ? '' : `${Math.round((reached / earlier) * 100)} %`
}

function countFrom(stages: readonly StageGroup[], from: number): number {
  return stages.slice(from).reduce((total, { count, ends }) => total + (ends === 'lost' ? 0 : count), 0)
}

function ownerSection(owners: readonly DealGroup[], basis: string, mark: string): HomeSection {
  const most = greatest(owners)
  const rest = owners.slice(MOST_OWNERS)
  const rowOf = ({ name, count, sum }: DealGroup): HomeRow => ({
    label: name,
    values: [grouped(count) + mark, shortNumber(sum) + mark],
    share: shareOf(sum, most),
  })
  const others: DealGroup = {
    name: `${rest.length}${mark} others`,
    count: rest.reduce((total, each) => total + each.count, 0),
    sum: rest.reduce((total, each) => addDecimals(total, each.sum), ZERO),
  }
  const rows = [...owners.slice(0, MOST_OWNERS), ...(rest.length > 0 ? [others] : [])].map(rowOf)
  return { title: 'Amount by owner', basis: `${basis}, without lost ones`, rows, notes: [] }
}

function staleSection({ open, stale, staleSum, undated }: DealFigures, { lists, times }: State, basis: string) {
  const rows = stale.slice(0, MOST_STALE).map((deal) => {
    const amount = decimalOf(deal.amount)
    const changed = shortTime(deal.updated_at ?? deal.created_at, times.nowMs)
    return { label: recordName(deal), values: [amount ? shortNumber(amount) : '', cellText(deal.stage), changed] }
  })
  const mark = partMark(lists.deals)
  const count = `${grouped(stale.length)}${mark} of ${grouped(open)}${mark} open deals, ${shortNumber(staleSum)}${mark}, not changed for ${STALE_DAYS} d, ${basis}`
  const missing = undated > 0 ? [`${grouped(undated)} open deals have no time of their last change.`] : []
  const more = stale.length > MOST_STALE ? [`The ${MOST_STALE} oldest of ${grouped(stale.length)}${mark}.`] : []
  return { title: 'Stale', basis: count, rows, notes: [...more, ...missing] }
}

function greatest(groups: readonly DealGroup[]): Decimal {
  return groups.reduce((most, { sum }) => (compareDecimals(sum, most) > 0 ? sum : most), ZERO)
}

const DAYS = 28
const computed = new WeakMap<object, Created & { readonly day: number }>()
const DAY_MS = 86_400_000
const MOST_JOBS = 5
const MOST_SHOWN = 5

export function homeSections(state: State): readonly [readonly HomeSection[], readonly HomeSection[]] {
  const [pipeline, ...others] = dealSections(state)
  return [
    [...(pipeline ? [pipeline] : []), createdSection(state)],
    [...others, jobSection(state), webhookSection(state)],
  ]
}

function webhookSection({ lists, webhooks, times }: State): HomeSection {
  const { rows, isComplete } = lists.webhooks
  const title = 'Webhooks failing'
  if (webhooks.lack !== undefined) return { title, basis: webhooks.lack, rows: [], notes: [] }
  if (!isComplete && rows.length === 0) return { title, basis: 'not read yet', rows: [], notes: [] }
  const bad = rows.filter(({ status, failing }) => status === 'disabled' || Number(failing ?? 0) > 0)
  const lacking = webhooks.deliveriesLack === undefined ? [] : [`Only disabled ones: ${webhooks.deliveriesLack}.`]
  return {
    title,
    basis: `${bad.length}${partMark(lists.webhooks)} of ${isComplete ? 'all ' : 'the first '}${rows.length} subscriptions`,
    rows: bad.slice(0, MOST_SHOWN).map(({ url, status, failing, looked_at: looked, last, last_at: at, older }) => ({
      label: cellText(url),
      values: [
        status === 'disabled'
          ? 'disabled'
          : `${cellText(failing)} of ${older === undefined ? '' : 'newest '}${cellText(looked)}`,
        cellText(last),
        shortTime(at, times.nowMs),
      ],
      tone: status === 'disabled' ? 'bad' : resultTone(cellText(last)),
    })),
    notes: [...(bad.length > MOST_SHOWN ? [`The first ${MOST_SHOWN} of ${bad.length}; 6 shows all.`] : []), ...lacking],
  }
}

function jobSection({ lists: { jobs }, times }: State): HomeSection {
  const { rows } = jobs
  const shown = rows.slice(0, MOST_JOBS)
  return {
    title: 'Last jobs',
    basis: basisOf(jobs),
    rows: shown.map((job) => ({
      label: cellText(job.what) || cellText(job.id),
      values: [countsText(job), cellText(job.state), shortTime(job.made_at, times.nowMs)],
      tone: Number(job.failed ?? 0) > 0 ? 'bad' : toneOf('state', job.state),
    })),
    notes: [],
  }
}

function basisOf({ rows, isComplete }: ListState): string {
  if (!isComplete) return 'not read yet'
  return rows.length === 0
    ? 'none of this server on this machine'
    : `of all ${rows.length} of this server on this machine`
}

function countsText({ done, rows, failed }: CrmRecord): string {
  if (done === undefined) return ''
  const bad = Number(failed ?? 0) > 0 ? `, ${cellText(failed)} failed` : ''
  return `${cellText(done)}/${cellText(rows)}${bad}`
}

interface Created {
  /** The number of each day, the last is today. */
  readonly days: readonly number[]
  readonly undated: number
}

function createdSection(state: State): HomeSection {
  const made = HOME_LISTS.map((name) => ({ name, created: createdPerDay(state.lists[name].rows, state.times.nowMs) }))
  const notes = made.flatMap(({ name, created: { undated } }) =>
    undated > 0 ? [`${grouped(undated)} ${name} have no time of creation.`] : [],
  )
  return {
    title: `Created per day, ${DAYS} d to today`,
    basis: HOME_LISTS.map((name) => basisText(state, name)).join('; '),
    rows: made.map(({ name, created }) => rowOf(name, created, partMark(state.lists[name]))),
    notes,
  }
}

function rowOf(name: ServerList, { days }: Created, mark: string): HomeRow {
  const total = days.reduce((sum, each) => sum + each, 0)
  return { label: name, values: [grouped(total) + mark, `${grouped(days.at(-1) ?? 0)}${mark} today`], spark: days }
}

/** Computed once for each set of rows and day. */
function createdPerDay(rows: readonly CrmRecord[], nowMs: number): Created {
  const day = startOfDay(nowMs)
  const known = computed.get(rows)
  if (known?.day === day) return known
  const days: number[] = Array.from({ length: DAYS }, () => 0)
  let undated = 0
  for (const { created_at: time } of rows) {
    const ms = recordTimeMs(time)
    if (Number.isNaN(ms)) undated++
    const at = DAYS - 1 - Math.round((day - startOfDay(ms)) / DAY_MS)
    if (at >= 0 && at < DAYS) days[at] = (days[at] ?? 0) + 1
  }
  const created = { days, undated, day }
  computed.set(rows, created)
  return created
}
