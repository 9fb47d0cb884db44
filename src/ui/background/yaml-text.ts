import { parse, stringify } from 'yaml'

/** In a separate module, because the package is loaded only for an editor. Throws an Error with the position. */
export function parseYamlText(text: string): unknown {
  return parse(text)
}

export function yamlText(value: unknown): string {
  return stringify(value)
}
