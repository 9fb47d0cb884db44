import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { MadeImport } from '../../jobs/plan/make-import.ts'
import { jsonText } from '../../output/json-text.ts'
import { writeNoteLine } from '../../output/note-line.ts'

type Refused = Extract<MadeImport, { readonly is: 'refused' }>

/** What is wrong with the rows, as lines for people or a JSON object a line for programs, ahead of the error. */
export function refuseFindings(ctx: Context, { findings, lines }: Refused, name: string): CrmError {
  const { io, flags } = ctx
  if (flags.output === 'json' || flags.output === 'jsonl') {
    for (const line of findingObjects(findings, name)) io.stderr.write(`${line}\n`)
  } else {
    // It is the error itself, and not a note that -q leaves out.
    for (const line of lines) writeNoteLine(io.stderr, line)
  }
  const { count } = findings
  return new CrmError(
    'invalid_input',
    `${count} ${count === 1 ? 'thing is' : 'things are'} wrong in ${name}; nothing was sent`,
    {
      hint: 'correct the file, and run the same command again',
    },
  )
}

/** `count` is how often the cause was met: of a frequent one only the first places are told. */
function* findingObjects(findings: Refused['findings'], file: string): Generator<string, void, undefined> {
  for (const { code, column = null, count, samples } of findings.groups()) {
    for (const { line, offset: byte, value = null, message } of samples) {
      yield jsonText({ finding: { file, line, byte, code, column, value, message, count } })
    }
  }
}
