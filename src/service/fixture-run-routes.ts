import type { JsonSchema } from '../core/json.ts'
import { FIXTURE_RUNS_PATH } from '../core/resources/registry.ts'
import { type JsonNode, nodeText } from './json-text.ts'
import { PAGE_PARAMETERS, pageReply, readPageQuery } from './page.ts'
import { badParameter, invalidValue, notFound, Problem, quotedText } from './problem.ts'
import { timeText } from './resources/records.ts'
import {
  filledText,
  type Rule,
  type RuleFault,
  type RulesByMember,
  requiredRule,
  requireRules,
  stringOf,
  wrongType,
} from './resources/rules.ts'
import { type Route, type RouteCall, type RouteReply, readBody, route } from './route.ts'
import type { RunLock, StoredRun } from './store/fixture-runs.ts'
import type { Store } from './store/store.ts'

/** The pattern of ids and tokens, also for the document. */
export const RUN_ID_PATTERN = '^[A-Za-z0-9._-]{1,64}$'

const RUN_ID = new RegExp(RUN_ID_PATTERN)

const ID_TEXT = '1 to 64 letters, digits, dots, dashes and underscores'

/** Of a lock, in seconds: the longest a killed client keeps others waiting. */
const LOCK_TTL = { smallest: 1, largest: 3600 }

const MOST_NAME_CHARS = 400

/** Of a state: some 30,000 records. */
const MAX_STATE_BYTES = 8 * 1024 * 1024

function filledRule(schema: JsonSchema, isValid: (text: string) => boolean, fault: RuleFault): Rule {
  const check = (value: JsonNode) => filledText.check(value) ?? (isValid(stringOf(value) ?? '') ? undefined : fault)
  return requiredRule({ type: 'string', ...schema }, check)
}

const tokenRule = filledRule({ pattern: RUN_ID_PATTERN }, (text) => RUN_ID.test(text), {
  code: 'not_allowed',
  detail: `expected ${ID_TEXT}`,
})

const nameRule = filledRule({ minLength: 1, maxLength: MOST_NAME_CHARS }, ({ length }) => length <= MOST_NAME_CHARS, {
  code: 'too_long',
  detail: `expected at most ${MOST_NAME_CHARS} characters`,
})

const TTL_TEXT = `a whole number from ${LOCK_TTL.smallest} to ${LOCK_TTL.largest}`

const ttlRule = requiredRule(
  { type: 'integer', minimum: LOCK_TTL.smallest, maximum: LOCK_TTL.largest },
  (value) => {
    const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (seconds >= LOCK_TTL.smallest && seconds <= LOCK_TTL.largest) return undefined
    return { ...wrongType(`expected ${TTL_TEXT}`, value), code: 'not_allowed' }
  },
  TTL_TEXT,
)

const stateRule = requiredRule({ type: 'object', additionalProperties: true }, (value) =>
  typeof value === 'string' ? wrongType('expected an object', value) : undefined,
)

const flagRule = requiredRule({ type: 'boolean' }, (value) =>
  value === 'true' || value === 'false' ? undefined : wrongType('expected true or false', value),
)

export const LOCK_RULES: RulesByMember = { token: tokenRule, name: nameRule, owner: nameRule, ttl_seconds: ttlRule }

export const RENEWAL_RULES: RulesByMember = { token: tokenRule, ttl_seconds: ttlRule }

export const STATE_RULES: RulesByMember = { token: tokenRule, state: stateRule, is_ended: flagRule }

const ONE = `${FIXTURE_RUNS_PATH}/{id}` as const
const LOCK = `${ONE}/lock` as const

const TOKEN = {
  name: 'token',
  in: 'query',
  required: true,
  description: 'The token of the lock.',
  schema: { type: 'string', pattern: RUN_ID_PATTERN },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
}

/** The states of runs of fixtures, and their locks. Idempotency keys are not needed: a repeated request has the same effect. */
export const fixtureRunRoutes: readonly Route[] = [
  route(`GET ${FIXTURE_RUNS_PATH}`, {
    text: 'listFixtureRuns: List the runs of fixtures. In the order of their ids, in pages, without their states.',
    success: [200, 'A page of runs.', 'ListedFixtureRun'],
    parameters: PAGE_PARAMETERS,
    handle: listRuns,
  }),
  route(`GET ${ONE}`, {
    text: 'showFixtureRun: Show a run of fixtures. With its state, and who holds its lock.',
    success: [200, 'The run.', 'FixtureRun'],
    handle: showRun,
  }),
  route(`PATCH ${ONE}`, {
    text: 'keepFixtureState: Keep the state of a run of fixtures. Replaces the state. Refused unless the token holds the lock, so that a client that was taken over writes nothing.',
    body: 'FixtureState',
    success: [204, 'The state is kept.'],
    maxBodyBytes: MAX_STATE_BYTES,
    handle: keepState,
  }),
  route(`POST ${LOCK}`, {
    text: 'lockFixtureRun: Take the lock of a run of fixtures. Makes the run if it is missing. Takes over a lock that has expired. Repeated with the same token, it has the same effect.',
    body: 'FixtureLock',
    success: [200, 'The run, whose lock is held.', 'FixtureRun'],
    isForNew: true,
    handle: takeLock,
  }),
  route(`PATCH ${LOCK}`, {
    text: 'renewFixtureLock: Renew the lock of a run of fixtures. Also after it has expired, unless another client has taken it.',
    body: 'FixtureLockRenewal',
    success: [200, 'When the lock expires.', 'RenewedFixtureLock'],
    handle: renewLock,
  }),
  route(`DELETE ${LOCK}`, {
    text: 'unlockFixtureRun: Give up the lock of a run of fixtures. Refused when the token does not hold the lock.',
    success: [204, 'The lock is free.'],
    problems: ['409'],
    parameters: [TOKEN.name],
    query: [TOKEN],
    handle: giveUpLock,
  }),
]

async function listRuns({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const { limit, olderThanId: afterId } = readPageQuery(call)
  const { runs, nextAfterId } = await fixtureRuns.page({ limit, afterId })
  return pageReply(call, { texts: runs.map((run) => JSON.stringify(shown(run))), nextOlderThanId: nextAfterId })
}

async function showRun({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const run = await fixtureRuns.find(call.id)
  if (!run) throw notFound('fixture run', call.id)
  return reply(wholeText(run))
}

async function takeLock({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  if (!RUN_ID.test(call.id)) {
    const detail = `${quotedText(call.id)} is not an id of a fixture run: expected ${ID_TEXT}`
    throw new Problem(400, 'invalid_id', detail)
  }
  const { token, name, owner, ttlMs } = readMembers(call, LOCK_RULES)
  const result = await fixtureRuns.lock({ id: call.id, token, name, owner, ttlMs })
  if (result.type === 'held') throw heldBy(result.lock)
  return reply(wholeText(result.run))
}

async function renewLock({ fixtureRuns }: Store, call: RouteCall): Promise<RouteReply> {
  const { token, ttlMs } = readMembers(call, RENEWAL_RULES)
  const untilMs = await fixtureRuns.renew({ id: call.id, token, ttlMs })
  if (untilMs === undefined) throw await lockLost(fixtureRuns, call.id)
  return reply(JSON.stringify({ expires_at: timeText(untilMs) }))
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
    throw invalidValue('#', 'unknown_member', detail)
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

function heldBy({ owner, untilMs }: RunLock): Problem {
  const until = timeText(untilMs)
  const detail = `${quotedText(owner)} holds the lock of this run until ${until}, and may renew it`
  return new Problem(409, 'run_locked', detail, { extensions: { lock: { owner, expires_at: until } } })
}

async function lockLost(runs: Store['fixtureRuns'], id: string): Promise<Problem> {
  const run = await runs.find(id)
  if (!run) return notFound('fixture run', id)
  const holder = run.lock ? `: ${quotedText(run.lock.owner)} holds it now` : ''
  return new Problem(409, 'lock_lost', `this token does not hold the lock of the run${holder}`)
}

/** The token is known to its holder alone. */
function shown({ id, name, createdAtMs, updatedAtMs, isEnded, lock }: Omit<StoredRun, 'state'>) {
  return {
    id,
    name,
    created_at: timeText(createdAtMs),
    updated_at: timeText(updatedAtMs),
    is_ended: isEnded,
    lock: lock && { owner: lock.owner, expires_at: timeText(lock.untilMs) },
  }
}

/** The state as it was sent. */
function wholeText(run: StoredRun): string {
  return `${JSON.stringify(shown(run)).slice(0, -1)},"state":${run.state ?? 'null'}}`
}

function reply(body: string): RouteReply {
  return { status: 200, body, headers: {} }
}
