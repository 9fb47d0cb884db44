import { CrmError } from '../core/errors.ts'

/** Texts, comments and operators, each whole: `==` and `<=` hold a `=` that assigns nothing. */
const TOKEN = /"(?:[^"\\]|\\.)*"|#[^\n]*|[=!<>]=|\/\/=|[|+\-*/%]=|[=|;()[\]{}]/gs
const ASSIGNMENT = /^(?:\/\/|[|+\-*/%])?=$/

/**
 * CrmError `usage` for a condition that ends in an assignment: it gives the changed record, which is as good as true, so that
 * `.company = "x"` would take every record. In brackets, and before a `|`, an assignment may be meant.
 */
export function refuseAssignment(text: string): void {
  let depth = 0
  let assignment: string | undefined
  for (const [token] of text.matchAll(TOKEN)) {
    if ('([{'.includes(token)) depth++
    else if (')]}'.includes(token)) depth--
    else if (depth > 0) continue
    else if (token === '|' || token === ';') assignment = undefined
    else if (ASSIGNMENT.test(token)) assignment = token
  }
  if (assignment === undefined) return
  throw new CrmError(
    'usage',
    `--where ${JSON.stringify(text)} assigns with ${assignment}, which is true of every record`,
    {
      hint: `== compares; ${assignment} assigns`,
    },
  )
}
