import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import { commandLine } from '../command-line.ts'
import { type CommandGroup, examples } from '../command-tree.ts'
import { printValue } from '../print.ts'
import { addAuthLogin } from './login.ts'
import { addAuthLogout } from './logout.ts'
import { addAuthStatus } from './status.ts'

export const AUTH_COMMANDS: CommandGroup = {
  description: 'keys, and the profiles they belong to',
  commands: {
    login: addAuthLogin,
    logout: addAuthLogout,
    status: addAuthStatus,
    switch: addAuthSwitch,
    token: addAuthToken,
  },
}

function addAuthSwitch(auth: CommandUnknownOpts, act: Act): void {
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

function addAuthToken(auth: CommandUnknownOpts, act: Act): void {
  auth
    .command('token')
    .description('print the API key in use, or the access token; on a terminal, after a question')
    .addHelpText(
      'after',
      examples('CRM_API_KEY=$(crm auth token -p local) CRM_BASE_URL=http://127.0.0.1:4243 ./script'),
    )
    .action(act(printToken))
}

async function printToken(ctx: Context): Promise<undefined> {
  const { key, loginHint } = await ctx.target()
  const tokens = await ctx.tokens()
  const token = (await tokens?.current()) ?? key.value
  if ((tokens?.login().ends ?? Number.POSITIVE_INFINITY) <= ctx.now())
    throw new CrmError('unauthorized', 'the access token has ended, and there is no other', { hint: loginHint })
  if (ctx.io.stdout.isTTY && canAsk(ctx) && !(await askYesNo(ctx.io, 'Show it on this terminal? [y/N] ', ctx.signal)))
    throw new CrmError('unconfirmed', 'not confirmed; nothing was shown', {
      hint: `${commandLine(ctx.argv)} | ./script`,
    })
  return printValue(ctx, token)
}
