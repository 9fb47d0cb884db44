import { parse, stringify } from 'yaml'

/** A module of its own, because the package is loaded only for an editor. Throws an Error that says where. */
export function parseYamlText(text: string): unknown {
  return parse(text)
}

export function yamlText(value: unknown): string {
  return stringify(value)
}
