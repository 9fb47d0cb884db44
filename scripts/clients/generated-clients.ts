import { goFiles } from './go.ts'
import { nodeFiles } from './node.ts'
import { pythonFiles } from './python.ts'
import { rubyFiles } from './ruby.ts'

/** Every generated file of the client libraries, by its path from the root. */
export function generatedClients(): ReadonlyMap<string, string> {
  return new Map([...goFiles(), ...nodeFiles(), ...pythonFiles(), ...rubyFiles()])
}
