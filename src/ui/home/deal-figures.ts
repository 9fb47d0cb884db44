import { stateOfProbability } from '../../core/deal-end.ts'
import { addDecimals, compareDecimals, type Decimal, decimalOf, ZERO } from '../../core/decimal.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { startOfDay } from '../list/columns.ts'
import { stageTone } from '../look/theme.ts'
import type { BoardState } from '../state.ts'

export type DealGroup = { readonly name: string; readonly count: number; readonly sum: Decimal }

export interface StageGroup extends DealGroup {
  /** By the probability of the stage, or by its name where the server states none. */
  readonly ends: 'won' | 'lost' | undefined
}

export interface DealFigures {
  /** In the order of the pipeline, followed by stages of other pipelines. */
  readonly stages: readonly StageGroup[]
  /** Deals that are not lost, by owner; the greatest sum first. */
  readonly owners: readonly DealGroup[]
  readonly open: number
  /** Open deals that were not changed for STALE_DAYS; the oldest first. */
  readonly stale: readonly CrmRecord[]
  readonly staleSum: Decimal
  readonly undated: number
  /** Deals with an amount that is no number, which no sum contains. */
  readonly unmeasured: number
}

export const STALE_DAYS = 14
const DAY_MS = 86_400_000

type Known = { readonly stages: BoardState['stages']; readonly day: number; readonly figures: DealFigures }

const computed = new WeakMap<object, Known>()

/** Computed once for each set of rows and day. */
export function dealFigures(rows: readonly CrmRecord[], stages: BoardState['stages'], nowMs: number): DealFigures {
  const day = startOfDay(nowMs)
  const known = computed.get(rows)
  if (known && known.stages === stages && known.day === day) return known.figures
  const figures = figuresOf(rows, stages ?? [], day)
  computed.set(rows, { stages, day, figures })
  return figures
}

function figuresOf(rows: readonly CrmRecord[], stages: readonly CrmRecord[], day: number): DealFigures {
  const byStage = new Map<string, Sum>()
  const byOwner = new Map<string, Sum>()
  const ends = new Map(stages.map((stage) => [cellText(stage.name), endOf(stage)]))
  for (const stage of ends.keys()) byStage.set(stage, { count: 0, sum: ZERO })
  const open: CrmRecord[] = []
  for (const deal of rows) {
    const stage = cellText(deal.stage) || NONE
    const amount = decimalOf(deal.amount) ?? ZERO
    const end = ends.has(stage) ? ends.get(stage) : endOf({ name: stage })
    ends.set(stage, end)
    count(byStage, stage, amount)
    if (end !== 'lost') count(byOwner, cellText(deal.owner_id) || NONE, amount)
    if (end === undefined) open.push(deal)
  }
  return {
    stages: groupsOf(byStage).map((group) => ({ ...group, ends: ends.get(group.name) })),
    owners: groupsOf(byOwner).toSorted((one, other) => compareDecimals(other.sum, one.sum)),
    open: open.length,
    unmeasured: rows.filter(({ amount }) => cellText(amount) !== '' && !decimalOf(amount)).length,
    ...staleOf(open, day - STALE_DAYS * DAY_MS),
  }
}

function staleOf(open: readonly CrmRecord[], beforeMs: number): Pick<DealFigures, 'stale' | 'staleSum' | 'undated'> {
  const dated = open.map((deal) => ({ deal, ms: recordTimeMs(deal.updated_at ?? deal.created_at) }))
  const stale = dated.filter(({ ms }) => ms < beforeMs).toSorted((one, other) => one.ms - other.ms)
  return {
    stale: stale.map(({ deal }) => deal),
    staleSum: stale.reduce((sum, { deal }) => addDecimals(sum, decimalOf(deal.amount) ?? ZERO), ZERO),
    undated: dated.filter(({ ms }) => Number.isNaN(ms)).length,
  }
}

const NONE = '(none)'

type Sum = { count: number; sum: Decimal }

function count(groups: Map<string, Sum>, name: string, amount: Decimal): void {
  const group = groups.get(name) ?? { count: 0, sum: ZERO }
  groups.set(name, group)
  group.count++
  group.sum = addDecimals(group.sum, amount)
}

function groupsOf(groups: ReadonlyMap<string, Sum>): readonly DealGroup[] {
  return Array.from(groups, ([name, group]) => ({ name, ...group }))
}

function endOf({ name, probability }: CrmRecord): StageGroup['ends'] {
  const state = stateOfProbability(probability)
  if (state !== undefined) return state === 'open' ? undefined : state
  const tone = stageTone(cellText(name))
  if (tone === 'good') return 'won'
  return tone === 'dim' ? 'lost' : undefined
}
