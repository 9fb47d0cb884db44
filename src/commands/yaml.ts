import { parse, YAMLParseError } from 'yaml'

/** Throws a SyntaxError, as JSON.parse does. A module of its own, because the package is loaded only for YAML. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    throw new SyntaxError(error.message, { cause: error })
  }
}
