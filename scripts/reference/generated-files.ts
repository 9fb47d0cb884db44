import { commandTree } from './command-tree.ts'
import { connectorPage } from './connector-page.ts'
import { manFiles } from './man-files.ts'
import { pageFiles } from './page-files.ts'
import { schemaFiles } from './schema-files.ts'

/** Folders with generated files only. */
export const GENERATED_FOLDERS = ['docs/reference/', 'man/', 'schemas/'] as const

const FORMAT_PAGE = 'docs/reference/connector-format.md'

/** The text of each file by its path. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const tree = await commandTree()
  return new Map([
    ...(await pageFiles(tree)),
    ...(await manFiles(tree)),
    ...schemaFiles(),
    [FORMAT_PAGE, connectorPage()],
  ])
}
