import { CrmError } from '../core/errors.ts'
import { type InputContext, readInput } from '../settings/read-input.ts'

/**
 * Ids as arguments; `-` stands for those on stdin, one a line. Each counts once, in the order first seen; none on stdin is
 * none. `listCommand` prints such ids.
 */
export async function readIds(
  ctx: InputContext,
  words: readonly string[],
  listCommand: string,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for (const word of words) {
    // A script whose variable is empty means one record, not none.
    if (word.trim() === '') throw new CrmError('usage', 'an id is empty', { hint: listCommand })
    const lines = word === '-' ? (await readInput(ctx, '-', 'ids from')).split('\n') : [word]
    for (const line of lines) if (line.trim()) ids.add(line.trim())
  }
  return [...ids]
}
