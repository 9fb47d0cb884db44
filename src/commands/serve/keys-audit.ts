import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { durationText } from '../../core/duration.ts'
import { CrmError } from '../../core/errors.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags, parsePositiveTime } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { DATABASE_HELP, listKeysCommand, withDatabase } from './keys-database.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A service deletes older entries. */
const KEPT_MS = 90 * DAY_MS

const COLUMNS = ['hour', 'key_id', 'key_name', 'action', 'count', 'refused', 'last_at', 'last_address']

interface Options {
  readonly database?: string
  readonly key?: string
  readonly since: number
}

export function addServeKeysAudit(keys: CommandUnknownOpts, act: Act): void {
  const audit = keys
    .command('audit')
    .description('show the use of keys by hour: kinds of requests, counts, refusals, addresses')
    .option('--database <file>', DATABASE_HELP)
    .option('--key <key-id>', 'only this key')
    .addOption(
      new Option('--since <time>', 'time before now, at most 90d')
        .argParser(parseSince)
        .default(DAY_MS, durationText(DAY_MS)),
    )
    .addHelpText(
      'after',
      `${examples(
        'crm serve keys audit --since 7d',
        'crm serve keys audit --key key_0abc -o jsonl',
        `crm serve keys audit --where '.action | startswith("GET") | not'`,
      )}\n\nA service that runs writes what its keys did once a minute, and when it stops.`,
    )
    .action(act(auditServiceKeys))
  addScopedFlags(audit, ['fields', 'where'])
}

async function auditServiceKeys(ctx: Context, options: Options): Promise<undefined> {
  const { uses, names } = await withDatabase(
    ctx,
    options.database,
    async (store) => ({
      uses: await store.keyUses({ keyId: options.key, sinceMs: ctx.now() - options.since }),
      names: new Map((await store.keys()).map(({ id, name }) => [id, name])),
    }),
    'read',
  )
  if (options.key !== undefined && !names.has(options.key)) {
    throw new CrmError('not_found', `there is no key ${JSON.stringify(options.key)}`, {
      hint: listKeysCommand(options.database),
    })
  }
  const rows = uses.map((use) => ({
    hour: new Date(use.hourMs).toISOString(),
    key_id: use.keyId,
    key_name: names.get(use.keyId) ?? null,
    action: use.action,
    count: use.count,
    refused: use.refusedCount,
    last_at: new Date(use.lastAtMs).toISOString(),
    last_address: use.lastAddress,
  }))
  await printList(ctx, { pages: onePage(rows), columns: COLUMNS, plural: 'uses' })
}

function parseSince(text: string): number {
  const timeMs = parsePositiveTime(text)
  if (timeMs <= KEPT_MS) return timeMs
  throw new InvalidArgumentError(`Expected ${durationText(KEPT_MS)} at most: what is older is not kept.`)
}
