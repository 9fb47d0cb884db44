import { OUTPUT_NAMES, outputSchema } from '../../src/commands/schema/outputs.ts'
import { browseSchema } from './browse-schema.ts'
import { connectorSchema } from './connector-schema.ts'

/** `schemas/*.json`: the output of `crm schema`, so that reviews show its changes, and the schemas of connectors and `browse.yaml`. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const schemas = OUTPUT_NAMES.map((name) => [name, outputSchema(name)] as const)
  return new Map(
    [...schemas, ['connector', connectorSchema()] as const, ['browse', browseSchema()] as const].map(
      ([name, schema]) => [schemaPath(name), `${JSON.stringify(schema, undefined, 2)}\n`],
    ),
  )
}

export function schemaPath(name: string): string {
  return `schemas/${name.replaceAll(' ', '-')}.json`
}
