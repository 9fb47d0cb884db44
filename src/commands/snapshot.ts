import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { RESOURCES } from '../core/resources/registry.ts'
import { writeText } from '../core/streams.ts'
import { escapeObeyed } from '../output/safe-text.ts'
import { examples } from './command-tree.ts'

export function addSnapshot(program: CommandUnknownOpts, act: Act): void {
  program
    .command('snapshot')
    .summary('print all contacts and deals, for crm diff')
    .description('print all contacts and deals as lines of JSON, for crm diff')
    .addHelpText('after', examples('crm snapshot > before.ndjson', 'crm diff before.ndjson live'))
    .action(act(printSnapshot))
}

type SnapshotContext = Pick<Context, 'api' | 'io' | 'note' | 'now' | 'target'>

async function printSnapshot(ctx: SnapshotContext): Promise<undefined> {
  const { lackedLists, membersLacked, snapshotText } = await import('../snapshot/snapshot.ts')
  const { baseUrl } = await ctx.target()
  const api = await ctx.api()
  const lacks = await lackedLists(api)
  for (const [type, reason] of lacks) ctx.note(`The snapshot is without ${RESOURCES[type].plural}: ${reason}.`)
  for (const lacked of await membersLacked(api, lacks)) ctx.note(`The snapshot lacks ${lacked}.`)
  const head = { server: baseUrlText(baseUrl), taken_at: new Date(ctx.now()).toISOString() }
  for await (const text of snapshotText(api, head, lacks)) await writeText(ctx.io.stdout, escapeObeyed(text))
}
