import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { RECORD_RESOURCES, RESOURCES } from '../../core/resources/registry.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { DATABASE_HELP, type DatabaseOptions, withDatabase } from './keys-database.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export function addServeStats(serve: CommandUnknownOpts, act: Act): void {
  const stats = serve
    .command('stats')
    .description('show the contents of a database of crm serve, and pending deliveries')
    .option('--database <file>', DATABASE_HELP)
    .addHelpText('after', examples('crm serve stats', "crm serve stats --jq '.deliveries_open'"))
    .action(act(showStats))
  addScopedFlags(stats, ['fields'])
}

async function showStats(ctx: Context, options: DatabaseOptions): Promise<undefined> {
  const nowMs = ctx.now()
  const { stats, uses } = await withDatabase(
    ctx,
    options.database,
    async (store) => ({
      stats: await store.stats(),
      uses: await store.keyUses({ keyId: undefined, sinceMs: nowMs - DAY_MS }),
    }),
    'read',
  )
  await printOne(ctx, {
    ...Object.fromEntries(RECORD_RESOURCES.map((name) => [RESOURCES[name].plural, stats.records[name]])),
    pipelines: stats.pipelines,
    webhooks_enabled: stats.enabledWebhooks,
    webhooks_disabled: stats.disabledWebhooks,
    keys_live: stats.liveKeys,
    deliveries_open: stats.openDeliveries,
    deliveries_failing: stats.failingDeliveries,
    oldest_open_event_at: stats.oldestOpenEventMs === undefined ? null : timeText(stats.oldestOpenEventMs),
    requests_last_day: uses.reduce((sum, { count }) => sum + count, 0),
    refused_last_day: uses.reduce((sum, { refusedCount }) => sum + refusedCount, 0),
    idempotency_keys: stats.idempotencyKeys,
    history_entries: stats.historyEntries,
    oldest_history_at: stats.oldestHistoryMs === undefined ? null : timeText(stats.oldestHistoryMs),
    fixture_runs: stats.fixtureRuns,
    size_bytes: stats.sizeBytes,
  })
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
