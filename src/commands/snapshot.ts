import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { writeText } from '../core/streams.ts'
import { escapeObeyed } from '../output/safe-text.ts'
import { examples } from './command-tree.ts'
import { notesFlag, onlyFlag } from './only-flag.ts'

export function addSnapshot(program: CommandUnknownOpts, act: Act): void {
  program
    .command('snapshot')
    .summary('print all records, for crm diff')
    .description('print all records as lines of JSON, for crm diff')
    .addOption(onlyFlag())
    .addOption(notesFlag())
    .addHelpText('after', examples('crm snapshot > before.ndjson', 'crm diff before.ndjson live'))
    .action(act(printSnapshot))
}

async function printSnapshot(
  ctx: Context,
  { only, notes }: { readonly only?: readonly string[]; readonly notes?: true },
): Promise<undefined> {
  const { listedObjects, membersLacked, snapshotText } = await import('../snapshot/snapshot.ts')
  const { apiWithObjects } = await import('./server-objects.ts')
  const { baseUrl } = await ctx.target()
  const api = await apiWithObjects(ctx)
  const objects = listedObjects(api, { only, hasNotes: notes === true })
  const missing = only ? [] : ['contacts', 'deals'].filter((noun) => !Object.values(objects).includes(noun))
  if (missing.length > 0)
    ctx.note(`The snapshot does not include ${missing.join(' and ')}: ${api.connector.name} (connector) has no list.`)
  for (const lacked of await membersLacked(api, objects)) ctx.note(`The snapshot lacks ${lacked}.`)
  const head = { server: baseUrlText(baseUrl), taken_at: new Date(ctx.now()).toISOString() }
  for await (const text of snapshotText(api, head, objects)) await writeText(ctx.io.stdout, escapeObeyed(text))
}
