import { OUTPUT_NAMES, outputSchema } from '../../src/commands/schema/outputs.ts'
import { connectorSchema, jsonSchemaOf } from '../../src/connector/json-schema.ts'
import { BROWSE_KEYS } from '../../src/ui/user-keys/read-user-keys.ts'
import { commandTree } from './command-tree.ts'
import { manFiles } from './man-files.ts'

/** The text of each file of `man` and `schemas` by its path: what the package carries beside the program. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const schemas = [
    ...OUTPUT_NAMES.map((name) => [name, outputSchema(name)] as const),
    ['connector', connectorSchema()] as const,
    ['browse', jsonSchemaOf(BROWSE_KEYS, 'browse.yaml of crm')] as const,
  ]
  return new Map([
    ...(await manFiles(await commandTree())),
    ...schemas.map(
      ([name, schema]) =>
        [`schemas/${name.replaceAll(' ', '-')}.json`, `${JSON.stringify(schema, undefined, 2)}\n`] as const,
    ),
  ])
}
