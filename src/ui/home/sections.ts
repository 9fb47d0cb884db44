import { recordTimeMs } from '../../core/record-time.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { grouped } from '../../output/progress.ts'
import { cellText } from '../../output/safe-text.ts'
import type { ListState } from '../list/list-state.ts'
import { resultTone, toneOf } from '../look/tones.ts'
import { HOME_LISTS, type ServerList } from '../screens.ts'
import type { State } from '../state.ts'
import { shortTime, startOfDay } from '../text/short-time.ts'
import { dealSections } from './deal-sections.ts'
import { basisText, type HomeRow, type HomeSection } from './section.ts'

const DAYS = 28

const computed = new WeakMap<object, Created & { readonly day: number }>()

const DAY_MS = 86_400_000

const MOST_JOBS = 5

const MOST_SHOWN = 5

/** The home screen in two columns, or one below the other. */
export function homeSections(state: State): readonly [readonly HomeSection[], readonly HomeSection[]] {
  const [pipeline, ...others] = dealSections(state)
  return [
    [...(pipeline ? [pipeline] : []), createdSection(state)],
    [...others, jobSection(state), webhookSection(state)],
  ]
}

/** The subscriptions that are disabled, or of whose newest deliveries some failed. */
function webhookSection({ lists, webhooks, times }: State): HomeSection {
  const { rows, isComplete } = lists.webhooks
  const title = 'Webhooks failing'
  if (webhooks.lack !== undefined) return { title, basis: webhooks.lack, rows: [], notes: [] }
  if (!isComplete && rows.length === 0) return { title, basis: 'not read yet', rows: [], notes: [] }
  const bad = rows.filter(({ status, failing }) => status === 'disabled' || Number(failing ?? 0) > 0)
  const lacking = webhooks.deliveriesLack === undefined ? [] : [`Only disabled ones: ${webhooks.deliveriesLack}.`]
  return {
    title,
    basis: `${bad.length} of ${isComplete ? 'all ' : 'the first '}${rows.length} subscriptions`,
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

/** The last jobs of this server that were made on this machine. */
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

/** How many records were created each day, in the zone of this machine. */
function createdSection(state: State): HomeSection {
  const made = HOME_LISTS.map((name) => ({
    name,
    created: createdPerDay(state.lists[name].rows, state.times.nowMs),
  }))
  const notes = made.flatMap(({ name, created: { undated } }) =>
    undated > 0 ? [`${grouped(undated)} ${name} have no time of creation.`] : [],
  )
  return {
    title: `Created per day, ${DAYS} d to today`,
    basis: HOME_LISTS.map((name) => basisText(state, name)).join('; '),
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
