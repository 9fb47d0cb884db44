import type { Api } from '../api/api.ts'
import type { Operations, PlannedRequest, PlannedWrite } from '../api/operations.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../core/exit.ts'
import { chooseConnector } from '../settings/target.ts'
import type { WithFlags } from './global-flags.ts'
import { printOne } from './print.ts'

interface WriteDryRun {
  readonly write: PlannedWrite
  readonly of: (api: Api) => Operations
  /** The path of the contract. */
  readonly path: string
}

/** Shows the one request that a write of a record would send. */
export async function dryRunWrite(ctx: Context, dryRun: WriteDryRun): Promise<ExitCode> {
  return printDryRun(ctx, (await connectedRequest(ctx, dryRun)) ?? contractRequest(dryRun))
}

/** Shows the one request that would be sent; nothing is sent. */
export async function printDryRun(ctx: Context, request: PlannedRequest): Promise<ExitCode> {
  // A new record has no id yet.
  if (ctx.flags.output !== 'id') await printOne(ctx, { dry_run: true, ...request })
  ctx.note('Dry run: nothing was sent.')
  return dryRunExit(ctx, true)
}

/** The request of a connector, which may read records for it; undefined without one: the contract needs no server for that. */
export async function connectedRequest(
  ctx: Pick<Context, 'env' | 'flags' | 'repository' | 'settings' | 'api'>,
  { of, write }: Omit<WriteDryRun, 'path'>,
): Promise<PlannedRequest | undefined> {
  return (await chosenConnector(ctx)) && of(await ctx.api()).preview(write)
}

/** The connector of the requests; undefined: that of `crm serve`. */
export async function chosenConnector(ctx: Pick<Context, 'env' | 'flags' | 'repository' | 'settings'>) {
  const { env, flags } = ctx
  const keyFromFlag = flags.keyFile ?? (flags.isKeyOnStdin || undefined)
  const choice = { env, profileFlag: flags.profile, keyFromFlag, repository: await ctx.repository() }
  return chooseConnector(await ctx.settings(), choice)
}

function contractRequest({ write: { kind, fields }, path }: WriteDryRun): PlannedRequest {
  return { method: kind === 'create' ? 'POST' : 'PATCH', path, body: fields }
}

export function dryRunExit(ctx: WithFlags<'isExitCodeWanted'>, wouldChange: boolean): ExitCode {
  return wouldChange && ctx.flags.isExitCodeWanted ? EXIT.differences : EXIT.ok
}
