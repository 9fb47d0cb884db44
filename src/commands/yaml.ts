import { parse, YAMLParseError } from 'yaml'
import { EXACT_READING } from '../core/yaml-numbers.ts'

/** Throws a SyntaxError, like JSON.parse. A separate module, so that the package is loaded for YAML only. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, EXACT_READING)
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    throw new SyntaxError(error.message, { cause: error })
  }
}
