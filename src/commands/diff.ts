import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Page } from '../api/operations.ts'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { EXIT, type ExitCode } from '../core/exit.ts'
import { READ_ONLY_FIELDS } from '../core/resources/registry.ts'
import type { Check } from '../output/check-report.ts'
import type { FoundDifference } from '../snapshot/compare.ts'
import type { OpenSnapshot } from '../snapshot/snapshot.ts'
import { examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { notesFlag, onlyFlag } from './only-flag.ts'
import { itemsOf, printList, printValue } from './print.ts'
import { addReportFlag, isSummaryAlone, type ReportFlags, withReport } from './report-flag.ts'

interface Options extends ReportFlags {
  readonly ignore: readonly string[]
  readonly key?: readonly string[]
  readonly only?: readonly string[]
  readonly notes?: true
}

const COLUMNS = ['change', 'type', 'id', 'name', 'fields']

export function addDiff(program: CommandUnknownOpts, act: Act): void {
  const diff = program
    .command('diff <before> <after>')
    .summary('show what changed between two snapshots')
    .description(
      'show what changed between two snapshots, or a snapshot and live, the current CRM; - is stdin, profile:NAME another CRM; exit 10 on differences',
    )
    .option('--ignore <names>', 'members that may differ, comma separated', parseNames, ['updated_at', 'version'])
    .option('--key <names>', 'match records by the first of these members that they have, not by id', parseNames)
    .addOption(onlyFlag())
    .addOption(notesFlag())
    .addHelpText(
      'after',
      examples(
        'crm diff before.ndjson after.ndjson',
        'crm diff before.ndjson live -o json',
        'crm diff profile:old profile:new --key email,name',
        "crm diff before.ndjson live --jq 'map({change, type, name})'",
      ),
    )
    .action(act(compareSnapshots))
  addReportFlag(diff)
  addScopedFlags(diff, ['fields'])
}

function parseNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

async function compareSnapshots(
  ctx: Context,
  before: string,
  after: string,
  options: Options,
): Promise<ExitCode | undefined> {
  ctx.keepExitCode?.()
  const { openSnapshot } = await import('../snapshot/snapshot.ts')
  const { apiWithObjects } = await import('./server-objects.ts')
  if (before === '-' && after === '-') {
    throw new CrmError('usage', 'stdin is one snapshot, and - names it twice', { hint: 'crm diff before.ndjson -' })
  }
  const others: Context[] = []
  const open = (source: string, other?: OpenSnapshot) => {
    const name = /^profile:(.+)$/.exec(source)?.[1]
    const at = name === undefined ? ctx : ctx.withProfile(name)
    if (at !== ctx) others.push(at)
    const sources = { api: () => apiWithObjects(at), stdin: () => ctx.io.stdin }
    return openSnapshot(name === undefined ? source : 'live', sources, {
      only: options.only,
      // Those of a file are compared with those of the server.
      hasNotes: options.notes === true || (other !== undefined && Object.hasOwn(other.objects, 'note')),
    })
  }
  try {
    return await withReport(ctx, {
      name: 'crm diff',
      flags: options,
      work: async (add) => {
        const files = { before, after }
        const old = await open(before)
        const compared = { old, now: await open(after, old), add: checkAdder(add, files), files }
        return await compareOpened(ctx, compared, options)
      },
    })
  } finally {
    for (const other of others) await other.close()
  }
}

function checkAdder(add: (check: Check) => void, { before, after }: Readonly<Record<'before' | 'after', string>>) {
  return ({ difference, line }: FoundDifference): void => {
    const { change, type, id, name, fields } = difference
    const file = change === 'removed' ? before : after
    const what = `${change}: ${type} ${id}${name === null ? '' : ` ${JSON.stringify(name)}`}`
    const failure = fields === undefined ? what : `${what}: ${JSON.stringify(fields)}`
    add({ name: `${type} ${id}`, place: line === undefined ? undefined : { file, line }, failure })
  }
}

interface Opened {
  readonly old: OpenSnapshot
  readonly now: OpenSnapshot
  add(found: FoundDifference): void
  readonly files: Readonly<Record<'before' | 'after', string>>
}

/** The objects that both have. CrmError `usage` if there are none. */
function comparedTypes(ctx: Context, { old, now, files }: Opened, only: Options['only']): readonly string[] {
  const all = { ...old.objects, ...now.objects }
  const asked = Object.keys(all).filter((type) => !only || only.includes(all[type] ?? ''))
  const sides = [[old, files.before] as const, [now, files.after] as const]
  const types = asked.filter((type) => {
    const without = sides.find(([{ objects }]) => !Object.hasOwn(objects, type))
    if (without) ctx.note(`Not compared: ${all[type]}, which ${without[1]} does not have.`)
    return !without
  })
  if (types.length > 0) return types
  throw new CrmError('usage', `${files.before} and ${files.after} have no objects in common`, {
    hint: 'crm objects',
  })
}

async function compareOpened(ctx: Context, opened: Opened, options: Options): Promise<ExitCode> {
  const { old, now, add } = opened
  const { differences } = await import('../snapshot/compare.ts')
  const types = comparedTypes(ctx, opened, options.only)
  const { key = [] } = options
  // Other servers give them other values.
  const members = new Set([...options.ignore, ...(key.length > 0 ? READ_ONLY_FIELDS : [])])
  const found = differences(old, now, { key, members, types })
  const counts = new Map<string, number>()
  async function* pages(): AsyncGenerator<Page> {
    for await (const some of found) {
      for (const each of some) add(each)
      const items = some.map(({ difference }) => difference)
      for (const { change } of items) counts.set(change, (counts.get(change) ?? 0) + 1)
      yield { items, nextCursor: undefined }
    }
  }
  const isAlone = isSummaryAlone(ctx)
  if (isAlone) for await (const _ of itemsOf(pages()));
  else await printList(ctx, { pages: pages(), columns: COLUMNS, plural: 'differences' })
  const summary = [...counts].map(([change, count]) => `${count} ${change}`).join(', ')
  if (isAlone) await printValue(ctx, summary || 'No differences.')
  if (counts.size === 0) return EXIT.ok
  ctx.note(summary)
  return EXIT.differences
}
