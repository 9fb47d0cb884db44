import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../../src/core/json.ts'
import { OBJECTS_PATH } from '../../../src/core/resources/registry.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import type { Driver, Reply } from './driver.ts'
import { createFront, type Observed, ObservingServer } from './front.ts'
import { differences, filledIn, type Variables } from './matching.ts'
import { serveObjects } from './serve.ts'
import { type ExpectedRequest, type Scenario, type Step, SUITE_FOLDER } from './suite.ts'

/** How long a webhook request may take. */
const DELIVERY_MS = 10_000

/** For requests of the suite itself, at a service that lets some fail. */
const MOST_TRIES = 20

interface World {
  readonly serviceUrl: string
  readonly key: string
  readonly front: ObservingServer
  readonly frontUrl: string
  /** Another origin: it receives webhook requests, and must never receive a key. */
  readonly elsewhere: ObservingServer
  readonly elsewhereUrl: string
}

/** Runs a scenario against a service of its own; returns what is not as expected. */
export async function runScenario(scenario: Scenario, driver: Driver): Promise<readonly string[]> {
  const sandbox = await (scenario.objects === undefined
    ? openSandbox({
        ...{ seed: [], seedEnv: {}, latencyMs: 0, rateLimit: undefined, clockMs: undefined, log: undefined },
        fail: scenario.service ?? {},
        ...{ parent: tmpdir(), version: '0.0.0', signal: new AbortController().signal, onMistake: () => {} },
      })
    : serveObjects(`${SUITE_FOLDER}${scenario.objects}`))
  const elsewhere = new ObservingServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"next_cursor":null}')
  })
  const elsewhereUrl = await elsewhere.listen()
  let frontUrl = ''
  const fillIn = (text: string) => withPlaces(text, { frontUrl, elsewhereUrl, key: sandbox.apiKey })
  const front = createFront(sandbox.baseUrl, scenario.faults ?? [], fillIn)
  frontUrl = await front.listen()
  const world = { serviceUrl: sandbox.baseUrl, key: sandbox.apiKey, front, frontUrl, elsewhere, elsewhereUrl }
  try {
    await seed(world, scenario)
    return await judge(world, scenario, driver)
  } finally {
    await front.close()
    await elsewhere.close()
    await sandbox.close()
  }
}

async function judge(world: World, scenario: Scenario, driver: Driver): Promise<readonly string[]> {
  const variables: Variables = new Map<string, JsonValue>([
    ['$origin', world.frontUrl],
    ['$elsewhere', world.elsewhereUrl],
    ['$apiKey', world.key],
  ])
  driver.takeOutput()
  const found: string[] = []
  const opened = await driver.ask({ do: 'open', with: openOptions(world, scenario.client ?? {}) })
  if (opened.error) found.push(`the client cannot be opened: ${JSON.stringify(opened.error)}`)
  const steps = scenario.steps.flatMap((step) => Array.from({ length: step.repeat ?? 1 }, () => step))
  for (const [at, step] of steps.entries()) {
    found.push(
      ...(await judgeStep(world, step, driver, variables)).map((each) => `step ${at + 1}, ${step.call}: ${each}`),
    )
  }
  await driver.ask({ do: 'close' })
  found.push(...judgeRequests(world.front.requests.filter(isNoQuestion), scenario.observed, variables))
  for (const [plural, count] of Object.entries(scenario.observed?.records ?? {})) {
    const actual = await countOf(world, plural)
    if (actual !== count) found.push(`the server has ${actual} ${plural}, expected ${count}`)
  }
  return [...found, ...alwaysExpected(world, driver.takeOutput())]
}

function openOptions({ frontUrl, key }: World, given: JsonObject): JsonObject {
  return { baseUrl: frontUrl, apiKey: key, timeoutMs: 10_000, maxWaitMs: 10_000, ...given }
}

async function judgeStep(world: World, step: Step, driver: Driver, variables: Variables): Promise<readonly string[]> {
  if (step.call === 'delivery') return await takeDelivery(world, variables)
  const given = filledIn(step.with ?? {}, variables) as JsonObject
  const reply = await driver.ask(
    step.call === 'client.open'
      ? { do: 'open', with: openOptions(world, given) }
      : { do: 'call', call: step.call, with: given },
  )
  return judgeReply(step, reply, variables)
}

function judgeReply(step: Step, reply: Reply, variables: Variables): readonly string[] {
  if (reply.isLacking) return ['the client does not offer it']
  if (step.fails) {
    return reply.error
      ? differences(step.fails, reply.error, variables, 'the error')
      : [`succeeded with ${JSON.stringify(reply.value)}, expected an error`]
  }
  if (reply.error) return [`failed: ${JSON.stringify(reply.error)}`]
  return step.returns === undefined ? [] : differences(step.returns, reply.value, variables, 'the result')
}

/** Sets `$delivery` to the first webhook request. */
async function takeDelivery({ elsewhere }: World, variables: Variables): Promise<readonly string[]> {
  const until = performance.now() + DELIVERY_MS
  while (elsewhere.requests.length === 0 && performance.now() < until) await delay(20)
  const [request] = elsewhere.requests.splice(0, 1)
  if (!request) return [`no webhook request within ${DELIVERY_MS / 1000} s`]
  variables.set('$body', request.body.toString('base64'))
  variables.set('$headers', { ...request.headers })
  return []
}

/**
 * Between two creates, a client may read their collection, whose headers show whether the server keeps idempotency keys. It may
 * also ask for the objects of the server.
 */
function isNoQuestion({ method, path }: Observed, at: number, all: readonly Observed[]): boolean {
  if (path === OBJECTS_PATH) return false
  const around = [all[at - 1], all[at + 1]]
  return method !== 'GET' || !around.every((each) => each?.method === 'POST' && each.path === path)
}

function judgeRequests(
  actual: readonly Observed[],
  { requests: expected, mostRequests = Number.POSITIVE_INFINITY }: NonNullable<Scenario['observed']> = {},
  variables: Variables,
): readonly string[] {
  if (actual.length > mostRequests)
    return [`the server received ${actual.length} requests, expected ${mostRequests} at most`]
  if (!expected) return []
  const lines = actual.map(({ method, path }) => `${method} ${path}`)
  const wanted = expected.map(({ request }) => filledPath(request, variables))
  if (JSON.stringify(lines) !== JSON.stringify(wanted)) {
    return [`the server received ${lines.join(', ') || 'nothing'}; expected ${wanted.join(', ') || 'nothing'}`]
  }
  return expected.flatMap((each, at) => judgeRequest(each, actual, at, variables))
}

function filledPath(request: string, variables: Variables): string {
  return request.replaceAll(/\$\w+/g, (name) => encodeURIComponent(String(filledIn(name, variables))))
}

function judgeRequest(
  { query = {}, headers = {}, body, afterMs = 0, withinMs = Number.POSITIVE_INFINITY }: ExpectedRequest,
  all: readonly Observed[],
  at: number,
  variables: Variables,
): readonly string[] {
  const request = all[at]
  if (!request) return []
  const where = `request ${at + 1}`
  const waitMs = request.atMs - (all[at - 1]?.atMs ?? request.atMs)
  const isInTime = waitMs >= afterMs && waitMs <= withinMs
  const sentQuery = Object.fromEntries(new URLSearchParams(request.query))
  const sentBody = body === undefined ? undefined : parseBody(request.body)
  return [
    ...(isInTime ? [] : [`${where} came after ${Math.round(waitMs)} ms, expected ${afterMs} to ${withinMs} ms`]),
    ...differences(query, sentQuery, variables, `the query of ${where}`),
    ...differences(headers, { ...request.headers }, variables, `the headers of ${where}`),
    ...(body === undefined ? [] : differences(body, sentBody, variables, `the body of ${where}`)),
  ]
}

function parseBody(body: Buffer): JsonValue {
  try {
    return parseExactJson(body.toString('utf8'))
  } catch {
    return `not JSON: ${body.toString('latin1')}`
  }
}

/** What no scenario has to say. */
function alwaysExpected({ key, front, elsewhere }: World, output: string): readonly string[] {
  const faults = front.requests.flatMap((request, at) =>
    faultsOf(request, key).map((each) => `request ${at + 1} ${each}`),
  )
  const leaks = elsewhere.requests.filter(({ headers, query }) => JSON.stringify([headers, query]).includes(key))
  return [
    ...faults,
    ...(elsewhere.requests.length === 0 ? [] : [`another origin received ${elsewhere.requests.length} requests`]),
    ...(leaks.length === 0 ? [] : ['another origin received the key']),
    ...(output.includes(key) ? ['the key is in the output of the client'] : []),
  ]
}

function faultsOf({ method, path, query, headers, body }: Observed, key: string): readonly string[] {
  return [
    ...(headers.authorization === `Bearer ${key}` ? [] : ['has no Authorization with the key']),
    ...(`${path}?${query}`.includes(key) ? ['has the key in its address'] : []),
    ...(['POST', 'PATCH'].includes(method) && !headers['idempotency-key'] ? ['has no Idempotency-Key'] : []),
    ...(body.length > 0 && !/^application\/(?:merge-patch\+)?json\b/.test(headers['content-type'] ?? '')
      ? ['has a body without Content-Type: application/json']
      : []),
  ]
}

async function seed(world: World, { seed: seeds = {} }: Scenario): Promise<void> {
  for (const [plural, given] of Object.entries(seeds)) {
    const records =
      typeof given === 'number'
        ? Array.from({ length: given }, (_, at) => ({ name: `Record ${at + 1}`, stage: 'Lead' }))
        : given
    for (const record of records) {
      const response = await ask(world, `/v1/${plural}`, JSON.stringify(record))
      if (response.status !== 201) throw new Error(`a seed was refused: ${await response.text()}`)
    }
  }
}

async function countOf(world: World, plural: string): Promise<number> {
  const response = await ask(world, `/v1/${plural}?limit=500`)
  const page = parseExactJson(await response.text())
  if (!isJsonObject(page) || !Array.isArray(page.data)) throw new Error(`the service does not list ${plural}`)
  return page.data.length
}

async function ask(world: World, path: string, body?: string): Promise<Response> {
  const { serviceUrl, key } = world
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  for (let tries = 1; ; tries += 1) {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body }
    const response = await fetch(new URL(path, serviceUrl), init).catch(() => undefined)
    if (response?.ok || tries === MOST_TRIES) return response ?? Response.error()
  }
}

/** `{{origin}}`, `{{elsewhere}}`, `{{key}}`, `{{date+2}}` and `{{epoch+2}}`, in seconds from now. */
function withPlaces(text: string, of: { frontUrl: string; elsewhereUrl: string; key: string }): string {
  const inSeconds = (seconds: string) => Date.now() + Number(seconds) * 1000
  return text
    .replaceAll('{{origin}}', of.frontUrl)
    .replaceAll('{{elsewhere}}', of.elsewhereUrl)
    .replaceAll('{{key}}', of.key)
    .replaceAll(/\{\{date([-+]\d+)\}\}/g, (_, seconds: string) => new Date(inSeconds(seconds)).toUTCString())
    .replaceAll(/\{\{epoch([-+]\d+)\}\}/g, (_, seconds: string) => String(Math.round(inSeconds(seconds) / 1000)))
}
