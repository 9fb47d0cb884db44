import { durationText, parseDurationWithUnitMs } from '../core/duration.ts'
import {
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isMethodOverride,
  isReservedHeader,
  isTransportHeader,
} from '../core/http-rules.ts'
import { checkPlaceholders, uses } from './check-placeholders.ts'
import { SENDING_DEFAULTS } from './document.ts'
import { isElements, isMembers, type Located, memberAt, membersOf, type Problems, textIn } from './located.ts'

// What carries the key belongs to `auth`, and what frames a message to the transport: nothing else may name it.

const AUTH_MEMBERS: Readonly<Record<string, { may: readonly string[]; needs?: string }>> = {
  bearer: { may: [] },
  header: { may: ['name', 'value'], needs: 'name' },
  query: { may: ['name', 'value'], needs: 'name' },
  basic: { may: ['user', 'password'], needs: 'user' },
}

export function checkAuth(auth: Located | undefined, variables: readonly string[], problems: Problems): void {
  if (!auth) return
  const kind = textIn(memberAt(auth, 'in'))
  const parts = membersOf(auth)
  const members = AUTH_MEMBERS[kind ?? '']
  if (members?.needs !== undefined && !parts.has(members.needs))
    problems.add(auth.place, `${members.needs} is missing in "auth" with in: ${kind}`)
  if (members) checkMembers(parts, `"auth" with in: ${kind}`, { may: members.may, problems })
  const templates = ['value', 'user', 'password'].flatMap((key) => parts.get(key) ?? [])
  for (const template of templates) checkPlaceholders(template, [...variables, 'key'], problems)
  const isKeySent = kind === 'bearer' || templates.length === 0 || templates.some((template) => uses(template, ['key']))
  if (!isKeySent) problems.add(auth.place, '"auth" does not send the key, expected {key} in it')
  if (kind === 'header') checkKeyHeader(parts, problems)
  if (kind === 'query') for (const key of ['name', 'value']) checkQuery(parts.get(key), problems)
}

function checkMembers(
  parts: ReadonlyMap<string, Located>,
  what: string,
  { may, problems }: { may: readonly string[]; problems: Problems },
): void {
  for (const key of ['name', 'value', 'user', 'password']) {
    const part = parts.get(key)
    const expected = may.length === 0 ? 'in alone' : `in, ${may.join(', ')}`
    if (part && !may.includes(key))
      problems.add(part.keyPlace, `${key} has no meaning in ${what}, expected ${expected}`)
  }
}

function checkKeyHeader(auth: ReadonlyMap<string, Located>, problems: Problems): void {
  const [name, value] = [auth.get('name'), auth.get('value')]
  const header = textIn(name)
  if (name && header !== undefined) {
    if (!isHeaderName(header)) problems.add(name.place, `${JSON.stringify(header)}, expected the name of a header`)
    else if (isTransportHeader(header) || isReservedHeader(header) || isUsualKeyOfUse(header))
      problems.add(name.place, `${header} is set by crm itself, expected another header for the key`)
  }
  if (value && !isHeaderValue(textIn(value) ?? ''))
    problems.add(value.place, `${JSON.stringify(textIn(value))}, expected ASCII characters without line ends`)
}

/** Sent with every write, also to servers that keep no keys. */
function isUsualKeyOfUse(name: string): boolean {
  return name.toLowerCase() === 'idempotency-key'
}

export function checkIdempotency(tree: Located, problems: Problems): void {
  const node = memberAt(tree, 'idempotency', 'header')
  if (node) checkTimes(memberAt(tree, 'idempotency'), problems)
  const header = textIn(node)
  if (!node || header === undefined) return
  const isTaken = isTransportHeader(header) || isReservedHeader(header) || isCredentialHeader(header)
  if (isTaken || header.toLowerCase() === keyHeaderOf(tree))
    problems.add(node.place, `${header} has another meaning, expected a header for idempotency keys alone`)
}

/** A server that drops a key before the last request with it can arrive protects from nothing. */
function checkTimes(idempotency: Located | undefined, problems: Problems): void {
  const node = ['window', 'life'].map((name) => memberAt(idempotency, name)).find((each) => each)
  const timeOf = (name: string) => parseDurationWithUnitMs(textIn(memberAt(idempotency, name)) ?? '')
  const windowMs = timeOf('window') ?? SENDING_DEFAULTS.windowMs
  const lifeMs = timeOf('life') ?? SENDING_DEFAULTS.lifeMs
  if (!node || windowMs > lifeMs) return
  problems.add(
    node.place,
    `the window of idempotency keys is ${durationText(windowMs)}, expected more than the life of a request, which is ${durationText(lifeMs)}`,
  )
}

function keyHeaderOf(tree: Located): string | undefined {
  const auth = memberAt(tree, 'auth')
  return textIn(memberAt(auth, 'in')) === 'header' ? textIn(memberAt(auth, 'name'))?.toLowerCase() : undefined
}

/** Checks the names of a map of headers. */
export function checkHeaders(headers: Located | undefined, tree: Located, problems: Problems): void {
  const keyHeader = keyHeaderOf(tree)
  const ofUse = textIn(memberAt(tree, 'idempotency', 'header'))?.toLowerCase()
  for (const [name, { keyPlace }] of membersOf(headers)) {
    const lower = name.toLowerCase()
    if (isCredentialHeader(name) || lower === keyHeader)
      problems.add(keyPlace, `${name} says who sends the request, expected it in "auth" alone`)
    else if (isMethodOverride(name))
      problems.add(keyPlace, `${name} replaces the method, expected it in "method" alone`)
    else if (isTransportHeader(name)) problems.add(keyPlace, `${name} is set by crm itself, expected another header`)
    else if (lower === ofUse || isUsualKeyOfUse(name))
      problems.add(keyPlace, `${name} is for idempotency keys, expected it in "idempotency" alone`)
  }
}

/** Names by which frameworks take another method from a query or a body. */
const METHOD_MEMBER = /^_(?:http_)?method$/i

/** Refuses members that make another request of the one that `method` names. */
export function checkMethodMembers(node: Located | undefined, problems: Problems): void {
  for (const [name, { keyPlace }] of membersOf(node))
    if (METHOD_MEMBER.test(name)) problems.add(keyPlace, `${name} replaces the method, expected it in "method" alone`)
}

const CONTROL = /[\p{Cc}\p{Cs}]/u

/** Blanks and other characters of a value are encoded when it is sent. */
export function checkQuery(node: Located | undefined, problems: Problems): void {
  if (!node) return
  const { value, place } = node
  if (isElements(value)) for (const each of value) checkQuery(each, problems)
  else if (isMembers(value)) for (const each of value.values()) checkQuery(each, problems)
  else if (typeof value === 'string' && CONTROL.test(value))
    problems.add(place, `${JSON.stringify(value)}, expected a text without control characters`)
}
