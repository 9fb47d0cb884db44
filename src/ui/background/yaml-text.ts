import { parse, stringify } from 'yaml'
import { EXACT_READING, EXACT_WRITING } from '../../core/yaml-numbers.ts'

/** In a separate module, because the package is loaded only for an editor. Throws an Error with the position. */
export function parseYamlText(text: string): unknown {
  return parse(text, EXACT_READING)
}

export function yamlText(value: unknown): string {
  return stringify(value, EXACT_WRITING)
}
