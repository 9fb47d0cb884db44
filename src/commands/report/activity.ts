import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, counted, type Resource } from '../../core/resources/registry.ts'
import { barText } from '../../output/terminal-text.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printDerived } from '../print-derived.ts'
import { parseSpan } from '../time-flags.ts'
import { lackingMember, readAllRecords } from './read-report.ts'

const PERIODS = ['day', 'week', 'month'] as const

interface Options {
  readonly by: Period
  /** Milliseconds. */
  readonly since: number
}

const BAR_WIDTH = 24

const WEEKS_MS = 12 * 7 * 86_400_000

/** The resources that are counted, and the members that tell the time. */
const COUNTED = [
  { resource: 'contact', plural: 'contacts' },
  { resource: 'deal', plural: 'deals' },
] as const

const MEMBERS = { created: 'created_at', changed: 'updated_at' } as const

export function addActivityReport(report: CommandUnknownOpts, act: Act): void {
  const activity = report
    .command('activity')
    .description('show how many contacts and deals were created, and last changed, in each day, week or month (UTC)')
    .addOption(new Option('--by <period>', 'a row for each').choices(PERIODS).default('week'))
    .addOption(new Option('--since <time>', 'how far back, such as 30d').argParser(parseSpan).default(WEEKS_MS, '84d'))
    .addHelpText('after', examples('crm report activity', 'crm report activity --by day --since 14d -o csv'))
    .action(act(reportActivity))
  addScopedFlags(activity, ['fields', 'progress'])
}

/** By the start of the period. */
type Counts = ReadonlyMap<string, Record<string, number>>

async function reportActivity(ctx: Context, { by, since: spanMs }: Options): Promise<undefined> {
  const starts = periodsBetween(ctx.now() - spanMs, ctx.now(), by)
  const counts: Counts = new Map(starts.map((start) => [start, {}]))
  const columns: string[] = []
  for (const { resource, plural } of COUNTED) {
    const seen = { read: 0, created: 0, changed: 0 }
    const isListed = await readAllRecords(ctx, resource, (record) => {
      const { createdMs, changedMs } = count(counts, record, { by, plural })
      seen.read++
      if (!Number.isNaN(createdMs)) seen.created++
      if (!Number.isNaN(changedMs)) seen.changed++
    })
    if (!isListed) ctx.note(`This server lists no ${plural}.`)
    else if (seen.read > 0 && seen.created + seen.changed === 0)
      throw lackingMember(plural, `${MEMBERS.created} or ${MEMBERS.changed}`)
    else {
      columns.push(`${plural}_created`, `${plural}_changed`)
      noteTimeless(ctx, resource, { created: seen.read - seen.created, changed: seen.read - seen.changed })
    }
  }
  const rows = rowsOf(counts, by, columns)
  const most = Math.max(...rows.map((row) => totalOf(row, columns)))
  const isTable = ctx.flags.output === 'table'
  const shown = rows.map((row) =>
    isTable ? { ...row, bar: barText(most === 0 ? 0 : totalOf(row, columns) / most, BAR_WIDTH) } : row,
  )
  await printDerived(ctx, {
    rows: shown,
    columns: [by, ...columns, ...(isTable ? ['bar'] : [])],
    plural: 'periods',
  })
}

interface Counting {
  readonly by: Period
  readonly plural: string
}

function noteTimeless(ctx: Context, resource: Resource, lacking: Readonly<Record<keyof typeof MEMBERS, number>>): void {
  for (const [what, member] of Object.entries(MEMBERS) as [keyof typeof MEMBERS, string][]) {
    if (lacking[what] > 0)
      ctx.note(`Not counted as ${what}: ${counted(lacking[what], resource)} without a time in ${member}.`)
  }
}

interface Times {
  /** NaN if the record does not state it. */
  readonly createdMs: number
  readonly changedMs: number
}

/** A change is one after the creation. */
function count(counts: Counts, record: CrmRecord, { by, plural }: Counting): Times {
  const createdMs = recordTimeMs(record[MEMBERS.created])
  const changedMs = recordTimeMs(record[MEMBERS.changed])
  const add = (timeMs: number, what: keyof typeof MEMBERS) => {
    const row = Number.isNaN(timeMs) ? undefined : counts.get(periodStart(timeMs, by))
    if (row) row[`${plural}_${what}`] = (row[`${plural}_${what}`] ?? 0) + 1
  }
  add(createdMs, 'created')
  if (!(changedMs === createdMs)) add(changedMs, 'changed')
  return { createdMs, changedMs }
}

function rowsOf(counts: Counts, by: Period, columns: readonly string[]): readonly CrmRecord[] {
  return [...counts].map(([start, row]) => ({
    [by]: start,
    ...Object.fromEntries(columns.map((column) => [column, row[column] ?? 0])),
  }))
}

function totalOf(row: CrmRecord, columns: readonly string[]): number {
  return columns.reduce((sum, column) => sum + Number(row[column]), 0)
}

type Period = (typeof PERIODS)[number]

/** The first day of the period that a time is in, in UTC: 2026-11-23. Weeks begin on Monday (ISO 8601). */
function periodStart(timeMs: number, period: Period): string {
  const day = new Date(timeMs)
  if (period === 'month') day.setUTCDate(1)
  if (period === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}

/** The starts of all periods from one time to another. */
function periodsBetween(fromMs: number, toMs: number, period: Period): readonly string[] {
  const last = periodStart(toMs, period)
  const starts = [periodStart(fromMs, period)]
  for (let start = starts[0] ?? last; start < last; ) {
    start = following(start, period)
    starts.push(start)
  }
  return starts
}

function following(start: string, period: Period): string {
  const day = new Date(`${start}T00:00:00Z`)
  if (period === 'month') day.setUTCMonth(day.getUTCMonth() + 1)
  else day.setUTCDate(day.getUTCDate() + (period === 'week' ? 7 : 1))
  return day.toISOString().slice(0, 10)
}
