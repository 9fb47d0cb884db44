import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../../api/api.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { type ConnectorCheck, checkReads } from './check-reads.ts'

export function addConnectorsCheck(connectors: CommandUnknownOpts, act: Act): void {
  const check = connectors
    .command('check [file]')
    .description('compare the connector of the profile with its server; reads only, unless --write is given')
    .option(
      '--write',
      'also create, change and delete a marked contact, a deal and its note, and record what was proven',
    )
    .addHelpText(
      'after',
      `\nWith a file, only that connector is read, and rewritten where its format is of an earlier version.\n${examples('crm connectors check', 'crm connectors check --write -p test', 'crm connectors check mycrm.yaml')}`,
    )
    .action(act(checkConnector))
  addScopedFlags(check, ['fields', 'yes'])
}

async function checkConnector(
  ctx: Context,
  file: string | undefined,
  { write }: { readonly write?: true },
): Promise<undefined> {
  if (file !== undefined) {
    const { checkFile } = await import('./check-file.ts')
    return checkFile(ctx, file)
  }
  const api = await ctx.api()
  if (write) await confirmWrite(ctx, api)
  const { readRequests } = await import('../../api/connectors/open-connector.ts')
  ctx.note(`Sends ${readRequests(api.connector.document).join(', ')}.`)
  const checks: ConnectorCheck[] = []
  for (const resource of Object.keys(RESOURCES) as Resource[]) checks.push(...(await checkReads(api, resource)))
  const isReadable = checks.every(({ state }) => state !== 'failed')
  if (write && !isReadable) ctx.note('A read failed, so nothing was written.')
  const tried = write && isReadable ? await tryWrites(ctx, api) : []
  if (write) await keepChecked(ctx, checks, tried)
  checks.push(...(write && isReadable ? tried : await provenWrites(ctx, api)))
  ctx.keepExitCode?.()
  const rows = checks.map(({ failure, ...row }): JsonObject => ({ ...row, code: failure?.code ?? null }))
  await printList(ctx, { pages: onePage(rows), columns: ['resource', 'operation', 'state', 'seen'], plural: 'checks' })
  const failed = checks.filter(({ state }) => state === 'failed')
  const [first] = failed
  if (!first) return
  const { failure } = first
  const show = `crm connectors show ${shellWord(api.connector.word)}`
  throw new CrmError(
    failure?.code ?? 'bad_answer',
    `${failed.length} of ${checks.length} checks failed: ${first.operation} of ${first.resource}: ${first.seen}`,
    { hint: failure?.code === 'bad_answer' ? show : (failure?.details.hint ?? show) },
  )
}

const WRITES = ['create', 'update', 'delete'] as const

const WRITTEN = ['contact', 'deal', 'note'] as const

/** CrmError for a connector without creates, and without consent, which for a protected server is `--yes` alone. */
async function confirmWrite(ctx: Context, { connector }: Api): Promise<void> {
  const { isProtected, baseUrl } = await ctx.target()
  const created = WRITTEN.filter((resource) => connector.offers(resource, 'create'))
  if (created.length === 0) {
    throw new CrmError('not_supported', `${connector.name} (connector) creates no contacts and no deals`, {
      hint: 'crm connectors check reads only',
    })
  }
  if (ctx.flags.isConfirmed) return
  const again = `${commandLine(ctx.argv)} --yes`
  if (isProtected) {
    throw new CrmError('usage', `${baseUrl.origin} is protected, so writing there needs --yes`, { hint: again })
  }
  const kept = created.filter((resource) => !connector.offers(resource, 'delete'))
  const stays = kept.length === 0 ? '' : ` (no delete: the ${kept.join(' and the ')} may stay)`
  const what = `one marked ${created.join(', one ')} on ${baseUrl.origin}${stays}`
  if (!canAsk(ctx)) throw new CrmError('unconfirmed', `creating ${what} was not confirmed`, { hint: again })
  if (await askYesNo(ctx.io, `Create, change and delete ${what}? [y/N] `, ctx.signal)) return
  throw new CrmError('unconfirmed', 'not confirmed; nothing was written', { hint: again })
}

async function tryWrites(ctx: Context, api: Api): Promise<readonly ConnectorCheck[]> {
  const { checkWrites } = await import('./check-writes.ts')
  return checkWrites(ctx, api)
}

/** Records what was proven, and what failed: the job that is refused later says why. */
async function keepChecked(
  ctx: Context,
  reads: readonly ConnectorCheck[],
  writes: readonly ConnectorCheck[],
): Promise<void> {
  const { provenFor } = await import('./proven.ts')
  const { keepProven } = await import('../../settings/proven.ts')
  const tried = new Map<string, boolean>()
  for (const { resource, operation, state } of writes) {
    const name = operation === 'idempotency' ? operation : `${resource}.${operation}`
    tried.set(name, tried.get(name) !== false && state === 'ok')
  }
  const failures = [...reads, ...writes].filter(({ state }) => state === 'failed')
  const failed = new Map(
    failures.map(({ resource, operation, seen }) => [
      `${resource}.${operation}`,
      `${operation} of ${resource}: ${seen}`,
    ]),
  )
  try {
    await keepProven(ctx.env, await provenFor(await ctx.target()), { tried, failed, nowMs: ctx.now() })
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    ctx.note(`Warning: what was proven could not be recorded: ${error.message}`)
  }
}

/** What earlier checks have proven, and what of a drafted connector they have not. */
async function provenWrites(ctx: Context, { connector }: Api): Promise<readonly ConnectorCheck[]> {
  const { provenFor } = await import('./proven.ts')
  const { readFailedCheck, readProven } = await import('../../settings/proven.ts')
  const target = await provenFor(await ctx.target())
  const proven = await readProven(ctx.env, target)
  const unproven = `not proven, so that jobs refuse it: crm connectors check --write${typedProfile(ctx.argv)}`
  const isDrafted = connector.document.drafted !== undefined
  const checks: ConnectorCheck[] = []
  for (const resource of WRITTEN) {
    const { plural } = RESOURCES[resource]
    const failed = await readFailedCheck(ctx.env, target, plural)
    const why = failed === undefined ? '' : `; ${failed}`
    for (const operation of WRITES.filter((each) => connector.offers(resource, each))) {
      const day = proven[`${plural}.${operation}`]
      const row = { resource: plural, operation }
      if (typeof day === 'string') checks.push({ ...row, state: 'ok', seen: `proven on ${day}` })
      else if (isDrafted) checks.push({ ...row, state: 'warn', seen: `${unproven}${why}` })
    }
  }
  return checks
}
