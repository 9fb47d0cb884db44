import { recordTimeMs } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { grouped } from '../../output/progress.ts'
import { SERVER_LISTS, type ServerList } from '../screens.ts'
import type { State } from '../state.ts'
import { startOfDay } from '../text/short-time.ts'
import { basisText, type HomeRow, type HomeSection } from './section.ts'

const DAYS = 28

interface Created {
  /** The number of each day, the last is today. */
  readonly days: readonly number[]
  readonly undated: number
}

const computed = new WeakMap<object, Created & { readonly day: number }>()

/** How many records were created each day, in the zone of this machine. */
export function createdSection(state: State): HomeSection {
  const made = SERVER_LISTS.map((name) => ({ name, created: createdPerDay(state.lists[name].rows, state.times.nowMs) }))
  const notes = made.flatMap(({ name, created: { undated } }) =>
    undated > 0 ? [`${grouped(undated)} ${name} have no time of creation.`] : [],
  )
  return {
    title: `Created per day, ${DAYS} d to today`,
    basis: SERVER_LISTS.map((name) => basisText(state, name)).join('; '),
    rows: made.map(({ name, created }) => rowOf(name, created)),
    notes,
  }
}

function rowOf(name: ServerList, { days }: Created): HomeRow {
  const total = days.reduce((sum, each) => sum + each, 0)
  return { label: name, values: [grouped(total), `${grouped(days.at(-1) ?? 0)} today`], spark: days }
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

const DAY_MS = 86_400_000
