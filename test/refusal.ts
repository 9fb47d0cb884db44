import { commandTree } from '../scripts/reference/command-tree.ts'

/** Why a command line is refused before anything is done; undefined when it is not. */
export async function refusal(argv: readonly string[]): Promise<string | undefined> {
  try {
    await (await commandTree(argv)).parseAsync(argv, { from: 'user' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
