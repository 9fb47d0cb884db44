import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'
import type { WithFlags } from '../global-flags.ts'
import { addNameFlag, type NameFlag, refuseProfile, sandboxName } from './name-flag.ts'

export function addSandboxStop(sandbox: CommandUnknownOpts, act: Act): void {
  const stop = sandbox
    .command('stop')
    .summary('end a started sandbox')
    .description('end a sandbox of crm sandbox start; its data is deleted')
    .addHelpText('after', examples('crm sandbox stop', 'crm sandbox stop --name checkout'))
    .action(act(stopNamed))
  addNameFlag(stop)
}

async function stopNamed(
  ctx: Pick<Context, 'env' | 'note'> & WithFlags<'profile'>,
  options: NameFlag,
): Promise<undefined> {
  refuseProfile(ctx)
  const name = await sandboxName(ctx, options)
  const { stopSandbox } = await import('../../sandbox/stop-sandbox.ts')
  const wasRunning = await stopSandbox(ctx.env, name)
  ctx.note(
    wasRunning ? `The sandbox ${name} has ended.` : `The sandbox ${name} had been killed; what it left is removed.`,
  )
}
