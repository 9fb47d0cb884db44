import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { askTyped, askYesNo } from '../output/prompt.ts'
import { commandLine, withFlag } from './command-line.ts'

/** A person is there to answer: both ends are terminals, and nobody said otherwise. */
export function canAsk(ctx: Context): boolean {
  const { io, env, flags } = ctx
  return flags.isInputAllowed && !env.CI && io.stderr.isTTY === true && io.stdin.isTTY === true
}

export interface Deletion {
  readonly count: number
  /** `contact con_1`, or `12 contacts`. */
  readonly what: string
  /** `--expect`, as typed. */
  readonly expect: number | undefined
  /** False when ids came from stdin, which then cannot answer. */
  readonly isStdinFree: boolean
}

/** Compares `--expect` with what would happen, before anything is sent. */
export function requireExpected(ctx: Context, { count, what, expect }: Deletion): void {
  if (expect === undefined || expect === count) return
  throw new CrmError('unconfirmed', `--expect ${expect}, but this would delete ${what}; nothing was deleted`, {
    hint: withFlag(ctx.argv, '--expect', String(count)),
  })
}

/**
 * On a terminal a question, on a protected profile the count typed out; without one `--yes`, and `--expect` as well when
 * more than one record or a protected profile is at stake. Returns only when it is confirmed.
 */
export async function confirmDeletion(ctx: Context, deletion: Deletion): Promise<void> {
  const { count, what, expect } = deletion
  const { isProtected, profileName, baseUrl } = await ctx.target()
  const place = profileName ? `profile ${profileName} (${baseUrl.origin})` : baseUrl.origin
  const isAsked = deletion.isStdinFree && canAsk(ctx)
  if (ctx.flags.isConfirmed && (expect !== undefined || (!isProtected && (count === 1 || isAsked)))) return
  if (!isAsked) {
    const needs = isProtected || count > 1 ? `--yes --expect ${count}` : '--yes'
    throw new CrmError('unconfirmed', `deleting ${what} from ${place} is for good and needs ${needs}`, {
      hint: `${commandLine(ctx.argv.filter((word) => word !== '-y' && word !== '--yes'))} ${needs}`,
    })
  }
  const isSure = isProtected
    ? (await askTyped(ctx.io, `Type ${count} to delete ${what} from the protected ${place} for good: `, ctx.signal)) ===
      String(count)
    : await askYesNo(ctx.io, `Delete ${what} from ${place} for good? [y/N] `, ctx.signal)
  if (!isSure) throw new CrmError('unconfirmed', 'not confirmed; nothing was deleted', { hint: commandLine(ctx.argv) })
}
