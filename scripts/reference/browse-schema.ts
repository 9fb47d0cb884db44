import type { JsonSchema } from '../../src/core/json.ts'
import { BROWSE_KEYS } from '../../src/ui/user-keys/user-key.ts'
import { definitionsOf, objectSchema } from './connector-schema.ts'

/** `schemas/browse.json`, with which an editor checks `browse.yaml` while it is written. */
export function browseSchema(): JsonSchema {
  const definitions = new Map<string, JsonSchema>()
  const schema = objectSchema(BROWSE_KEYS, definitions)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'browse.yaml of crm',
    ...schema,
    $defs: definitionsOf(definitions),
  }
}
