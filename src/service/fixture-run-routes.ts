import { FIXTURE_RUNS_PATH } from '../core/resources/registry.ts'
import { readBody } from './body.ts'
import { nodeText } from './json-text.ts'
import { PAGE_PARAMETERS, pageReply, readAnyPlace } from './page.ts'
import { badParameter, invalidValues, notFound, Problem, quotedText, quotedValue } from './problem.ts'
import { filledText, type Rule, type RulesByMember, requireRules, stringOf } from './resources/rules.ts'
import type { Route, RouteCall, RouteReply } from './route.ts'
import type { RunLock, StoredRun } from './store/fixture-runs.ts'
import type { Store } from './store/store.ts'

/** The pattern of ids and tokens, also for the document. */
export const RUN_ID_PATTERN = '^[A-Za-z0-9._-]{1,64}$'

const RUN_ID = new RegExp(RUN_ID_PATTERN)

/** Of a lock, in seconds: the longest a killed client keeps others waiting. */
const LOCK_TTL = { smallest: 1, largest: 3600 }

const MOST_NAME_CHARS = 400

/** Of a state: some 30,000 records. */
const MAX_STATE_BYTES = 8 * 1024 * 1024

const tokenRule: Rule = {
  schema: { type: 'string', pattern: RUN_ID_PATTERN },
  isRequired: true,
  check: (value) => {
    const fault = filledText.check(value)
    if (fault || RUN_ID.test(stringOf(value) ?? '')) return fault
    return { code: 'not_allowed', detail: 'expected 1 to 64 letters, digits, dots, dashes and underscores' }
  },
}

const nameRule: Rule = {
  schema: { type: 'string', minLength: 1, maxLength: MOST_NAME_CHARS },
  isRequired: true,
  check: (value) => {
    const fault = filledText.check(value)
    if (fault || (stringOf(value)?.length ?? 0) <= MOST_NAME_CHARS) return fault
    return { code: 'too_long', detail: `expected at most ${MOST_NAME_CHARS} characters` }
  },
}

const ttlRule: Rule = {
  schema: { type: 'integer', minimum: LOCK_TTL.smallest, maximum: LOCK_TTL.largest },
  isRequired: true,
  check: (value) => {
    const expected = `a whole number from ${LOCK_TTL.smallest} to ${LOCK_TTL.largest}`
    if (value === undefined) return { code: 'required', detail: `required, ${expected}` }
    const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (seconds >= LOCK_TTL.smallest && seconds <= LOCK_TTL.largest) return undefined
    return { code: 'not_allowed', detail: `expected ${expected}, got ${quotedValue(value)}` }
  },
}

const stateRule: Rule = {
  schema: { type: 'object', additionalProperties: true },
  isRequired: true,
  check: (value) => {
    if (value === undefined) return { code: 'required', detail: 'required' }
    return typeof value === 'string'
      ? { code: 'wrong_type', detail: `expected an object, got ${quotedValue(value)}` }
      : undefined
  },
}

const flagRule: Rule = {
  schema: { type: 'boolean' },
  isRequired: true,
  check: (value) => {
    if (value === 'true' || value === 'false') return undefined
    return value === undefined
      ? { code: 'required', detail: 'required' }
      : { code: 'wrong_type', detail: `expected true or false, got ${quotedValue(value)}` }
  },
}

export const LOCK_RULES: RulesByMember = { token: tokenRule, name: nameRule, owner: nameRule, ttl_seconds: ttlRule }

export const RENEWAL_RULES: RulesByMember = { token: tokenRule, ttl_seconds: ttlRule }

export const STATE_RULES: RulesByMember = { token: tokenRule, state: stateRule, is_ended: flagRule }

const ONE = `${FIXTURE_RUNS_PATH}/:id`
const LOCK = `${ONE}/lock`

/** The states of runs of fixtures, and their locks. Idempotency keys are not needed: a repeated request has the same effect. */
export const fixtureRunRoutes: readonly Route[] = [
  { method: 'GET', path: FIXTURE_RUNS_PATH, scope: 'read', parameters: PAGE_PARAMETERS, handle: listRuns },
  { method: 'GET', path: ONE, scope: 'read', parameters: [], handle: showRun },
  { method: 'PATCH', path: ONE, scope: 'write', parameters: [], maxBodyBytes: MAX_STATE_BYTES, handle: keepState },
  { method: 'POST', path: LOCK, scope: 'write', parameters: [], handle: takeLock },
  { method: 'PATCH', path: LOCK, scope: 'write', parameters: [], handle: renewLock },
  { method: 'DELETE', path: LOCK, scope: 'write', parameters: ['token'], handle: giveUpLock },
]

async function listRuns({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const { limit, olderThanId: afterId } = readAnyPlace(call)
  const { runs, nextAfterId } = await fixtureRuns.page({ limit, afterId })
  return pageReply(call, { texts: runs.map((run) => JSON.stringify(shown(run))), nextOlderThanId: nextAfterId })
}

async function showRun({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const run = await fixtureRuns.find(call.id)
  if (!run) throw notFound('fixture run', call.id)
  return reply(wholeText(run))
}

async function takeLock({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  if (!RUN_ID.test(call.id)) throw badId(call.id)
  const { token, name, owner, ttlMs } = readMembers(call, LOCK_RULES)
  const result = await fixtureRuns.lock({ id: call.id, token, name, owner, ttlMs })
  if (result.type === 'held') throw heldBy(result.lock)
  return reply(wholeText(result.run))
}

async function renewLock({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const { token, ttlMs } = readMembers(call, RENEWAL_RULES)
  const untilMs = await fixtureRuns.renew({ id: call.id, token, ttlMs })
  if (untilMs === undefined) throw await lockLost(fixtureRuns, call.id)
  return reply(JSON.stringify({ expires_at: new Date(untilMs).toISOString() }))
}

async function keepState({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const { token, state, isEnded } = readMembers(call, STATE_RULES)
  if (!(await fixtureRuns.keep({ id: call.id, token, state, isEnded }))) throw await lockLost(fixtureRuns, call.id)
  return { status: 204, body: '', headers: {} }
}

async function giveUpLock({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const { token = '' } = call.query
  if (!RUN_ID.test(token)) throw badParameter('token', 'required', 'expected the token of the lock')
  if (!(await fixtureRuns.unlock({ id: call.id, token }))) throw await lockLost(fixtureRuns, call.id)
  return { status: 204, body: '', headers: {} }
}

function readMembers(call: RouteCall, rules: RulesByMember) {
  const members = readBody(call)
  const unknown = [...members.keys()].find((name) => !(name in rules))
  if (unknown !== undefined) {
    const detail = `${quotedText(unknown)} is not a member, expected ${Object.keys(rules).join(', ')}`
    throw invalidValues([{ pointer: '#', code: 'unknown_member', detail }])
  }
  requireRules(members, rules)
  const textOf = (name: string) => stringOf(members.get(name)) ?? ''
  return {
    token: textOf('token'),
    name: textOf('name'),
    owner: textOf('owner'),
    ttlMs: Number(members.get('ttl_seconds')) * 1000,
    state: nodeText(members.get('state') ?? ''),
    isEnded: members.get('is_ended') === 'true',
  }
}

function badId(id: string): Problem {
  return new Problem(400, {
    code: 'invalid_id',
    detail: `${quotedText(id)} is not an id of a fixture run: expected 1 to 64 letters, digits, dots, dashes and underscores`,
  })
}

function heldBy({ owner, untilMs }: RunLock): Problem {
  const until = new Date(untilMs).toISOString()
  return new Problem(409, {
    code: 'run_locked',
    detail: `${quotedText(owner)} holds the lock of this run until ${until}, and may renew it`,
    extensions: { lock: { owner, expires_at: until } },
  })
}

async function lockLost(runs: Store['fixtureRuns'], id: string): Promise<Problem> {
  const run = await runs.find(id)
  if (!run) return notFound('fixture run', id)
  const holder = run.lock ? `: ${quotedText(run.lock.owner)} holds it now` : ''
  return new Problem(409, { code: 'lock_lost', detail: `this token does not hold the lock of the run${holder}` })
}

/** The token is known to its holder alone. */
function shown({ id, name, createdAtMs, updatedAtMs, isEnded, lock }: Omit<StoredRun, 'state'>) {
  return {
    id,
    name,
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
    is_ended: isEnded,
    lock: lock && { owner: lock.owner, expires_at: new Date(lock.untilMs).toISOString() },
  }
}

/** The state as it was sent. */
function wholeText(run: StoredRun): string {
  return `${JSON.stringify(shown(run)).slice(0, -1)},"state":${run.state ?? 'null'}}`
}

function reply(body: string): RouteReply {
  return { status: 200, body, headers: {} }
}
