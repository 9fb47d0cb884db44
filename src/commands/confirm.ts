import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { askTyped, askYesNo, canAsk, type Terminal } from '../output/prompt.ts'
import type { Target } from '../settings/target.ts'
import { commandLine, withFlag, withoutFlags } from './command-line.ts'
import type { WithFlags } from './global-flags.ts'

/** What a prompt needs. */
type Asking = Terminal & Pick<Context, 'argv' | 'signal' | 'target'> & WithFlags<'isConfirmed'>

export interface Deletion {
  readonly count: number
  /** `contact con_1`, or `12 contacts`. */
  readonly what: string
  /** `--expect`, as typed. */
  readonly expect: number | undefined
  /** False if ids were read from stdin, which then cannot answer. */
  readonly isStdinFree: boolean
  /** An undo restores the records. */
  readonly isUndoable?: true
}

export interface ExpectFlags {
  readonly expect?: number | undefined
  readonly expectMost?: number | undefined
}

/** `--expect`, or the count itself where `--expect-most` allows it. CrmError `unconfirmed` for a larger one. */
export function expectedOf(
  ctx: Pick<Context, 'argv'>,
  { expect, expectMost }: ExpectFlags,
  { count, toDo }: { readonly count: number; readonly toDo: string },
): number | undefined {
  if (expectMost === undefined) return expect
  if (count > expectMost) {
    const typed = ctx.argv.filter((word) => word !== '--dry-run')
    throw new CrmError('unconfirmed', `--expect-most ${expectMost}, but this would ${toDo}; nothing was sent`, {
      hint: `see what: ${withoutFlags(typed, '--expect-most', '--log', '--on-failure')} --dry-run`,
    })
  }
  return expect ?? count
}

/** Compares `--expect` with the number of records before anything is sent. */
export function requireExpected(ctx: Pick<Context, 'argv'>, { count, what, expect }: Deletion): void {
  if (expect === undefined || expect === count) return
  throw new CrmError('unconfirmed', `--expect ${expect}, but this would delete ${what}; nothing was deleted`, {
    hint: withFlag(ctx.argv, '--expect', String(count)),
  })
}

/**
 * On a terminal, asks a question; on a protected profile, the person types the count. Without a terminal, requires `--yes`,
 * and `--expect` for several records or a protected profile. Returns only if confirmed.
 */
export async function confirmDeletion(ctx: Asking, deletion: Deletion): Promise<void> {
  const { count, what, expect, isUndoable } = deletion
  const forGood = isUndoable ? '' : ' for good'
  const target = await ctx.target()
  const { isProtected } = target
  const place = placeText(target)
  const isAsked = deletion.isStdinFree && canAsk(ctx)
  if (ctx.flags.isConfirmed && (expect !== undefined || (!isProtected && (count === 1 || isAsked)))) return
  if (!isAsked) {
    const needs = isProtected || count > 1 ? `--yes --expect ${count}` : '--yes'
    throw new CrmError(
      'unconfirmed',
      `deleting ${what} from ${place} ${isUndoable ? '' : 'cannot be undone and '}needs ${needs}`,
      {
        hint: `${commandLine(ctx.argv.filter((word) => word !== '-y' && word !== '--yes'))} ${needs}`,
      },
    )
  }
  const isSure = isProtected
    ? (await askTyped(
        ctx.io,
        `Type ${count} to delete ${what} from the protected ${place}${forGood}: `,
        ctx.signal,
      )) === String(count)
    : await askYesNo(ctx.io, `Delete ${what} from ${place}${forGood}? [y/N] `, ctx.signal)
  if (!isSure) throw new CrmError('unconfirmed', 'not confirmed; nothing was deleted', { hint: commandLine(ctx.argv) })
}

/** For questions and refusals. */
export function placeText({ profileName, baseUrl }: Pick<Target, 'profileName' | 'baseUrl'>): string {
  const address = baseUrlText(baseUrl)
  return profileName ? `profile ${profileName} (${address})` : address
}

export interface ProtectedChange extends Omit<Deletion, 'what'> {
  /** `create 3 deals and change 2 contacts`. */
  readonly toDo: string
}

/** On a protected profile, requires the typed count, or `--yes --expect` with it. Returns only if confirmed. */
export async function confirmProtected(
  ctx: Asking,
  { count, toDo, expect, isStdinFree }: ProtectedChange,
): Promise<void> {
  if (ctx.flags.isConfirmed && expect === count) return
  const target = await ctx.target()
  const place = `${target.isProtected ? 'the protected ' : ''}${placeText(target)}`
  const words = ctx.argv.filter((word) => word !== '-y' && word !== '--yes')
  if (!isStdinFree || !canAsk(ctx)) {
    throw new CrmError('unconfirmed', `this would ${toDo} of ${place}, and needs --yes --expect ${count}`, {
      hint: `${withFlag(words, '--expect', String(count))} --yes`,
    })
  }
  const typed = await askTyped(ctx.io, `Type ${count} to ${toDo} of ${place}: `, ctx.signal)
  if (typed !== String(count))
    throw new CrmError('unconfirmed', 'not confirmed; nothing was sent', { hint: commandLine(ctx.argv) })
}

interface PlainChange extends Pick<ProtectedChange, 'toDo' | 'isStdinFree'> {
  /** Behind the command of the hint. */
  readonly condition?: string
}

/** On a terminal, asks; without one, requires `--yes`. Returns only if confirmed. */
export async function confirmChange(ctx: Asking, { toDo, isStdinFree, condition = '' }: PlainChange): Promise<void> {
  if (ctx.flags.isConfirmed) return
  const place = placeText(await ctx.target())
  if (!isStdinFree || !canAsk(ctx)) {
    throw new CrmError('unconfirmed', `this would ${toDo} of ${place}, and needs --yes`, {
      hint: `${commandLine([...ctx.argv, '--yes'])}${condition}`,
    })
  }
  const isSure = await askYesNo(ctx.io, `This will ${toDo} of ${place}. Go on? [y/N] `, ctx.signal)
  if (!isSure) throw new CrmError('unconfirmed', 'not confirmed; nothing was sent', { hint: commandLine(ctx.argv) })
}
