import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { askYesNo, canAsk } from '../output/prompt.ts'
import { appliesTo, chooseProfile } from '../settings/address.ts'
import { parseSettingKey } from '../settings/setting.ts'
import { parseConnectorName } from '../settings/setting-values.ts'
import { commandLine } from './command-line.ts'
import { type CommandGroup, examples } from './command-tree.ts'
import { addScopedFlags } from './flags.ts'
import { onePage, printList, printValue } from './print.ts'
import { requireProfileName } from './selected-profile.ts'

export const CONFIG_COMMANDS: CommandGroup = {
  description: 'settings of a profile',
  commands: {
    get: addConfigGet,
    set: addConfigSet,
    list: addConfigList,
    path: addConfigPath,
    migrate: addConfigMigrate,
  },
}

function addConfigGet(config: CommandUnknownOpts, act: Act): void {
  config
    .command('get <key>')
    .description('print one setting')
    .addHelpText('after', examples('crm config get base_url', 'crm config get page_size -p local'))
    .action(act(getSetting))
}

/** Prints the plain value, for scripts; an empty line if it is not set. */
async function getSetting(ctx: Context, text: string): Promise<undefined> {
  const key = parseSettingKey(text)
  const values = await (await ctx.settings()).values(await requireProfileName(ctx))
  const value = values.find((setting) => setting.key === key)?.value ?? null
  return printValue(ctx, value)
}

function addConfigSet(config: CommandUnknownOpts, act: Act): void {
  const set = config
    .command('set <key> <value>')
    .description('change one setting; ending the protection of a server asks')
    .addHelpText('after', examples('crm config set protected true', 'crm config set page_size 500 -p local'))
    .action(act(setSetting))
  addScopedFlags(set, ['yes'])
}

async function setSetting(ctx: Context, text: string, value: string): Promise<undefined> {
  const key = parseSettingKey(text)
  const name = await requireProfileName(ctx)
  const settings = await ctx.settings()
  if (key === 'connector') await checkConnector(value)
  if (key === 'protected') await confirmUnprotected(ctx, name, value)
  await settings.setSetting(name, key, value)
  ctx.note(`Profile ${name}: ${key} = ${value}`)
  await noteOtherServer(ctx, name)
}

/** Asks before the protection of a profile ends; without a terminal it needs `--yes`. */
async function confirmUnprotected(ctx: Context, name: string, value: string): Promise<void> {
  const { isProtected, baseUrl = 'no server' } = await (await ctx.settings()).profile(name)
  if (!isProtected || value !== 'false' || ctx.flags.isConfirmed) return
  const what = `profile ${name} (${baseUrl}) is protected`
  if (!canAsk(ctx)) {
    throw new CrmError('unconfirmed', `${what}, and ending that needs --yes`, {
      hint: commandLine([...ctx.argv, '--yes']),
    })
  }
  if (await askYesNo(ctx.io, `${what[0]?.toUpperCase()}${what.slice(1)}. End its protection? [y/N] `, ctx.signal))
    return
  throw new CrmError('unconfirmed', 'not confirmed; nothing was changed', { hint: commandLine(ctx.argv) })
}

/** CrmError `invalid_input` for a connector that is not shipped and is no file, or that has mistakes. */
async function checkConnector(text: string): Promise<void> {
  const name = parseConnectorName(text, 'connector')
  if (name !== null) {
    const { connectorDocument } = await import('../api/connectors/open-connector.ts')
    await connectorDocument({ name })
  }
}

function addConfigList(config: CommandUnknownOpts, act: Act): void {
  const list = config
    .command('list')
    .description('list the settings of a profile')
    .addHelpText('after', examples('crm config list', "crm config list -p prod --where '.is_default | not'"))
    .action(act(listSettings))
  addScopedFlags(list, ['fields', 'where'])
}

async function listSettings(ctx: Context): Promise<undefined> {
  const name = await requireProfileName(ctx)
  const values = await (await ctx.settings()).values(name)
  const rows = values.map(({ key, value, isDefault, meaning }) => ({ key, value, is_default: isDefault, meaning }))
  await printList(ctx, { pages: onePage(rows), columns: ['key', 'value', 'is_default', 'meaning'], plural: 'settings' })
  await noteOtherServer(ctx, name)
}

function addConfigPath(config: CommandUnknownOpts, act: Act): void {
  config
    .command('path')
    .description('print where settings are kept')
    .addHelpText('after', examples('crm config path'))
    .action(act(printPath))
}

async function printPath(ctx: Context): Promise<undefined> {
  const { config } = (await ctx.settings()).paths()
  return printValue(ctx, config)
}

function addConfigMigrate(config: CommandUnknownOpts, act: Act): void {
  config
    .command('migrate')
    .description(
      'write the connector that says what the settings wire.* of an earlier version say; other commands do it too',
    )
    .addHelpText('after', examples('crm config migrate', 'crm config migrate -p other'))
    .action(act(migrate))
}

/** Earlier settings are converted when settings are opened. This command reports the error where that failed. */
async function migrate(ctx: Context): Promise<undefined> {
  const name = await requireProfileName(ctx)
  const settings = await ctx.settings()
  const { describeProfile } = await import('./earlier-profiles.ts')
  const done = await describeProfile(settings, name)
  const { connector } = await settings.profile(name)
  ctx.note(done ?? `Profile ${name} has no settings of an earlier version; its connector is ${connector ?? 'not set'}.`)
}

/** Notes that the settings of a profile do not apply because of CRM_BASE_URL, and how they would. */
async function noteOtherServer(
  { env, note, settings }: Pick<Context, 'env' | 'note' | 'settings'>,
  name: string,
): Promise<void> {
  const address = URL.parse(env.CRM_BASE_URL || '')
  if (!address) return
  const kept = await settings()
  const chosen = await chooseProfile(kept, { env, profileFlag: undefined })
  if (chosen?.name === name && appliesTo(chosen, address)) return
  const server = baseUrlText(address)
  const isThere = appliesTo({ profile: await kept.profile(name) }, address)
  const how = isThere
    ? `CRM_PROFILE=${name} makes these settings apply there`
    : `CRM_PROFILE can name a profile with base_url ${server}`
  note(`Requests go to ${server} (CRM_BASE_URL), not to the server of profile ${name}; ${how}.`)
}
