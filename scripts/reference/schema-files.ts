import { OUTPUT_NAMES, outputSchema } from '../../src/commands/schema/outputs.ts'

/** `schemas/*.json`: the output of `crm schema`, so that reviews show its changes. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    OUTPUT_NAMES.map((name) => [schemaPath(name), `${JSON.stringify(outputSchema(name), undefined, 2)}\n`] as const),
  )
}

export function schemaPath(name: string): string {
  return `schemas/${name.replaceAll(' ', '-')}.json`
}
