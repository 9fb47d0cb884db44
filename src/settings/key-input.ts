import { CrmError } from '../core/errors.ts'
import type { GivenKey } from './key-candidates.ts'
import { type InputContext, readInput } from './read-input.ts'

/** What a command line says of its key. */
export interface KeyContext extends InputContext {
  readonly flags: InputContext['flags'] & { readonly keyFile: string | undefined }
}

/** The key that the command line points at; there is no flag that takes the key itself, because argv is public. */
export async function readKeyFlag(ctx: KeyContext): Promise<GivenKey | undefined> {
  const { keyFile, isKeyOnStdin } = ctx.flags
  if (keyFile !== undefined && isKeyOnStdin) {
    throw new CrmError('usage', '--key-file and --key-stdin are two keys', { hint: 'give one of them' })
  }
  if (keyFile !== undefined) {
    return { value: (await readInput(ctx, keyFile, '--key-file')).trim(), source: '--key-file' }
  }
  return isKeyOnStdin ? { value: (await readInput(ctx, '-', '--key-stdin')).trim(), source: '--key-stdin' } : undefined
}
