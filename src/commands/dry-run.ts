import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../core/exit.ts'
import type { JsonObject } from '../core/json.ts'
import type { WithFlags } from './global-flags.ts'
import { printOne } from './print.ts'

export interface PlannedRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject
}

/** Shows the one request that a write would send; nothing is sent. */
export async function printDryRun(ctx: Context, request: PlannedRequest): Promise<ExitCode> {
  // A new record has no id yet.
  if (ctx.flags.output !== 'id') await printOne(ctx, { dry_run: true, ...request })
  ctx.note('Dry run: nothing was sent.')
  return dryRunExit(ctx, true)
}

export function dryRunExit(ctx: WithFlags<'isExitCodeWanted'>, wouldChange: boolean): ExitCode {
  return wouldChange && ctx.flags.isExitCodeWanted ? EXIT.differences : EXIT.ok
}
