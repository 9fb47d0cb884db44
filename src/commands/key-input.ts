import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { GivenKey } from '../settings/key-candidates.ts'
import { readInput } from './read-input.ts'

/** The key that the command line points at; there is no flag that takes the key itself, because argv is public. */
export async function readKeyFlag(ctx: Context): Promise<GivenKey | undefined> {
  const { keyFile, isKeyOnStdin } = ctx.flags
  if (keyFile !== undefined && isKeyOnStdin) {
    throw new CrmError('usage', '--key-file and --key-stdin are two keys', { hint: 'give one of them' })
  }
  if (keyFile !== undefined) {
    return { value: (await readInput(ctx, keyFile, '--key-file')).trim(), source: '--key-file' }
  }
  return isKeyOnStdin ? { value: (await readInput(ctx, '-', '--key-stdin')).trim(), source: '--key-stdin' } : undefined
}
