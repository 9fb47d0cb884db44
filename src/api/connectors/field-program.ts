import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { loadWaitlessJq } from '../../expr/jq.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ConnectorDocument, FieldDocument } from './document.ts'
import { shortJson } from './field-map.ts'
import type { Conversion } from './field-values.ts'

/** The result of a program for one value, or why there is none. */
export type RunProgram = (
  program: string,
  input: JsonValue,
) => { readonly value: JsonValue } | { readonly reason: string }

/** Programs in place of the type of a field; in a direction without one, the value is the same. */
export function programConversion({ read, write }: NonNullable<FieldDocument['jq']>, run: RunProgram): Conversion {
  return {
    expected: 'a value from which the program of the connector makes one of the server',
    read: (wire) => {
      const made = read === undefined ? { value: wire } : run(read, wire)
      if ('value' in made) return made.value
      throw new CrmError('bad_answer', `jq cannot read ${shortJson(wire)} with ${read}: ${made.reason}`, {
        hint: 'correct the connector',
      })
    },
    write: (shown) => {
      const made = write === undefined ? { value: shown } : run(write, shown)
      return 'value' in made ? made.value : undefined
    },
  }
}

/** The programs of all fields. */
export function programsOf({ resources }: ConnectorDocument): readonly string[] {
  const fields = Object.values(resources).flatMap((resource) => Object.values(resource.fields))
  return fields.flatMap(({ jq }) => [jq?.read, jq?.write].filter((program) => program !== undefined))
}

const MOST_BYTES = 64 * 1024

/** CrmError `invalid_input` for a program that does not compile. */
export async function openPrograms(programs: readonly string[]): Promise<RunProgram> {
  const run = await loadWaitlessJq()
  for (const program of programs) {
    const { exit, stderr } = run(['-n', `empty|(${program}\n)`], '') ?? {}
    if (exit === 0) continue
    throw new CrmError('invalid_input', `${program} is no program of jq 1.8: ${oneLine(stderr ?? '', 200)}`, {
      hint: 'correct the connector',
    })
  }
  return (program, input) => {
    const json = JSON.stringify(input)
    if (Buffer.byteLength(json) > MOST_BYTES) return { reason: `the value is longer than ${MOST_BYTES / 1024} KiB` }
    const ended = run(['-c', `try [(${program}\n)] catch {reason: tostring}`], json)
    if (ended?.exit !== 0) return { reason: 'jq ran out of memory' }
    const made = parseExactJson(ended.stdout)
    if (isJsonObject(made)) return { reason: oneLine(String(made.reason), 200) }
    const [value, ...others] = made as readonly JsonValue[]
    return value === undefined || others.length > 0 ? { reason: 'it has no single result' } : { value }
  }
}
