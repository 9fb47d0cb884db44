import { exactDigits, type JsonValue, parseExactJson } from './json.ts'

/**
 * A tag for the package `yaml`, which would take numbers for doubles. Only numbers of JSON are numbers, with all their digits:
 * `0151`, `+49151` and `0x1F`, which are numbers in YAML, stay text, because they may be phone numbers.
 */
const EXACT_NUMBER = {
  default: true as const,
  tag: 'tag:yaml.org,2002:float',
  test: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  resolve: (text: string): JsonValue => parseExactJson(text),
  identify: (value: unknown): boolean => exactDigits(value) !== undefined,
  stringify: ({ value }: { readonly value?: unknown }): string => exactDigits(value) ?? String(value),
}

type Tag = 'null' | 'bool' | typeof EXACT_NUMBER

/** For readers. Lists, objects and texts are those of every schema. */
export const EXACT_READING = {
  schema: 'failsafe' as const,
  version: '1.2' as const,
  customTags: ['null', 'bool', EXACT_NUMBER] satisfies Tag[] as Tag[],
}

/** For writers: texts that another reader would take for something else are quoted. */
export const EXACT_WRITING = { customTags: <Other>(tags: readonly Other[]) => [EXACT_NUMBER, ...tags] }
