import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { examples } from '../command-tree.ts'

export function addAuthSwitch(auth: CommandUnknownOpts, act: Act): void {
  auth
    .command('switch <profile>')
    .description('make a profile the active one')
    .addHelpText('after', examples('crm auth switch local'))
    .action(act(switchProfile))
}

async function switchProfile(ctx: Pick<Context, 'note' | 'settings'>, name: string): Promise<undefined> {
  const settings = await ctx.settings()
  const { baseUrl } = await settings.profile(name)
  await settings.setActive(name)
  ctx.note(`Active profile: ${name} (${baseUrl})`)
}
