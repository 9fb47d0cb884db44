import { parseExactJson } from '../core/exact-json.ts'
import type { JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources.ts'
import type { Jq, JqRun } from './jq.ts'
import { compileFailure, evaluationFailure } from './jq-failure.ts'
import { refuseAssignment } from './refuse-assignment.ts'
import { wholeCharacters } from './whole-characters.ts'

/** An expression may give no result, one, or several. */
export interface Query {
  /**
   * The results of each record, in the order of the records. CrmError `invalid_input` names the one that it failed on, by
   * its id unless `placeOf` knows a better name.
   */
  each(records: readonly CrmRecord[], placeOf?: (at: number) => string): Promise<readonly (readonly JsonValue[])[]>
  /** The results of one value, given as JSON. */
  whole(json: string): Promise<readonly JsonValue[]>
}

export type ExpressionFlag = '--where' | '--jq' | '--compute'

export interface ExpressionSource {
  readonly flag: ExpressionFlag
  readonly text: string | undefined
  readonly say: (line: string) => void
}

/** What the manual of jq 1.7 has and this build of it lacks. Numbers that pass through keep their digits in it. */
const MISSING = 'def ascii: [.] | implode; def have_literal_numbers: true; '

export async function createExpression(jq: Jq, { flag, text, say }: ExpressionSource): Promise<Query | undefined> {
  if (text === undefined) return undefined
  // From the first line on, which $__loc__ tells of, and with an end of its own, so that a comment there ends with it. A
  // list, so that all results stand on one line.
  const collected = `[(${text}\n)]`
  const refuse = (run: JqRun) => compileFailure(flag, text, run.stderr)
  // Alone first: `1) | (2` would make sense only inside the brackets.
  for (const program of [`${MISSING}empty|${text}`, `${MISSING}empty|${collected}`]) {
    const run = await jq.run(['-n', program], '')
    if (run.exit !== 0) throw refuse(run)
  }
  if (flag === '--where') refuseAssignment(text)
  const evaluate = async (program: string, json: string): Promise<{ run: JqRun; lines: readonly string[] }> => {
    const run = await jq.run(['-c', program], wholeCharacters(json))
    const lines = run.stdout.split('\n').slice(0, -1)
    if (run.exit === 0 && run.stderr !== '') for (const line of run.stderr.split('\n')) say(line)
    return { run, lines }
  }
  return {
    async each(records, placeOf = (at) => `record ${JSON.stringify(records[at]?.id ?? at + 1)}`) {
      if (records.length === 0) return []
      const { run, lines } = await evaluate(`${MISSING}.[]|${collected}`, JSON.stringify(records))
      // A line a record, up to the one that it failed on.
      if (lines.length < records.length) {
        throw evaluationFailure({ flag, place: placeOf(lines.length), run })
      }
      return lines.map((line) => parseExactJson(line) as JsonValue[])
    },
    async whole(json) {
      const { run, lines } = await evaluate(`${MISSING}${collected}`, json)
      if (lines[0] === undefined) throw evaluationFailure({ flag, place: undefined, run })
      return parseExactJson(lines[0]) as JsonValue[]
    },
  }
}
