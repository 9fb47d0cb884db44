import { CrmError } from '../core/errors.ts'
import { type InputContext, readInput } from '../settings/read-input.ts'

/**
 * Ids from arguments; `-` reads them from stdin, one a line. Duplicates are removed. `listCommand` prints such ids.
 */
export async function readIds(
  ctx: InputContext,
  words: readonly string[],
  listCommand: string,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for (const word of words) {
    // An empty variable in a script must not mean no record.
    if (word.trim() === '') throw new CrmError('usage', 'an id is empty', { hint: listCommand })
    const lines = word === '-' ? (await readInput(ctx, '-', 'ids from')).split('\n') : [word]
    for (const line of lines) if (line.trim()) ids.add(line.trim())
  }
  return [...ids]
}
