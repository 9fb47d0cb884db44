import type { RecordMembers } from './draft-fields.ts'
import type { ResourceContext } from './resource-context.ts'
import { FIRST_NAMES, fieldNames, LAST_NAMES, memberNamed } from './server-names.ts'

export interface NameParts {
  readonly parts: readonly string[]
  /** The whole name, which the server makes of them. */
  readonly whole?: string
}

/**
 * First and last name, where a contact is named by both; undefined: by one member. With all three, the whole name is often made
 * by the server, or that of an organization.
 */
export function nameParts(members: RecordMembers, { decisions, at }: ResourceContext): NameParts | undefined {
  const { read, write, schemas } = members
  const view = write && write.members.size > 0 ? write : read
  const isWritten = (name: string) => [write, read].every((each) => !each || !schemas.member(each, name)?.isReadOnly)
  const written = new Map([...view.members].filter(([name]) => isWritten(name)))
  const [first, last] = [FIRST_NAMES, LAST_NAMES].map((names) => memberNamed(written, names))
  if (first === undefined || last === undefined) return undefined
  const parts = [first, last]
  const whole = memberNamed(written, fieldNames('contact').name ?? [])
  if (whole === undefined) return { parts }
  if (view.required.has(whole)) return undefined
  const isOfOthers = ORGANIZATION.test(schemas.member(view, whole)?.description ?? '')
  if (isOfOthers || parts.some((part) => view.required.has(part))) return { parts, whole }
  const id = 'contacts.name'
  const both = `${first} and ${last}`
  decisions.decide(
    [...at, 'fields'],
    `a contact has ${both} and ${whole}, and the document does not say which of them to write; assumed: ${both}`,
    { id, ask: 'Which of them is the name of a contact?', choices: [both, whole] },
  )
  return decisions.answer(id) === whole ? undefined : { parts, whole }
}

const ORGANIZATION = /\b(?:organi[sz]ation|company|business)\b/i
