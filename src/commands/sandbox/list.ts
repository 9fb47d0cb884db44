import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { refuseProfile } from './name-flag.ts'

export function addSandboxList(sandbox: CommandUnknownOpts, act: Act): void {
  const list = sandbox
    .command('list')
    .summary('list the started sandboxes')
    .description('list the sandboxes of crm sandbox start that run, without their keys')
    .addHelpText('after', examples('crm sandbox list', 'crm sandbox list -o json'))
    .action(act(printSandboxes))
  addScopedFlags(list, ['fields'])
}

async function printSandboxes(ctx: Context): Promise<undefined> {
  refuseProfile(ctx)
  const { runningSandboxes, sandboxHome } = await import('../../sandbox/sandbox-file.ts')
  const rows = (await runningSandboxes(sandboxHome(ctx.env))).map(({ name, baseUrl, endsAtMs, process: { pid } }) => ({
    ...{ name, base_url: baseUrl, ends_at: new Date(endsAtMs).toISOString(), pid },
  }))
  if (ctx.flags.output === 'id')
    return void (await writeText(ctx.io.stdout, rows.map(({ name }) => `${name}\n`).join('')))
  return printList(ctx, { pages: onePage(rows), columns: ['name', 'base_url', 'ends_at', 'pid'], plural: 'sandboxes' })
}
