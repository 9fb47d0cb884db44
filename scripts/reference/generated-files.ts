import { commandTree } from './command-tree.ts'
import { manFiles } from './man-files.ts'
import { pageFiles } from './page-files.ts'
import { schemaFiles } from './schema-files.ts'

/** Nothing else is in them. */
export const GENERATED_FOLDERS = ['docs/reference/', 'man/', 'schemas/'] as const

/** Path to text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const tree = commandTree()
  return new Map([...(await pageFiles(tree)), ...(await manFiles(tree)), ...schemaFiles()])
}
