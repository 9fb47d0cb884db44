import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test as plainTest } from 'vitest'
import { canonicalJson, type JsonObject } from '../../../src/core/json.ts'
import { requestDigest } from '../../../src/jobs/plan/digest.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { jobsIn, onlyJob } from '../../harness/import-run.ts'
import { type Service, startService } from '../../harness/service.ts'
import { test } from '../../harness/shared-service.ts'

type Plan = { head: JsonObject; ops: (JsonObject | string)[]; end: JsonObject }

function readPlan(path: string): Plan {
  const [head, ...lines] = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
  return { head: head ?? {}, ops: lines.slice(0, -1), end: lines.at(-1) ?? {} }
}

/** With a checksum that is right. */
function writePlan(path: string, { head, ops, end }: Plan, tail = ''): string {
  const text = (line: unknown) => (typeof line === 'string' ? line : JSON.stringify(line))
  const body = `${[head, ...ops].map(text).join('\n')}\n`
  const { sha256, ...counts } = end
  const hash = createHash('sha256').update(body).digest('hex')
  const last = 'sha256' in end ? { ...counts, sha256: hash } : end
  writeFileSync(path, `${body}${text(last)}\n${tail}`)
  return path
}

/** With the digest of its request, as the plan writer puts it: every other rule is the one that refuses. */
function signed(op: JsonObject): JsonObject {
  const method = { create: 'POST', update: 'PATCH', delete: 'DELETE' }[String(op.do)] ?? ''
  const body = op.body === undefined ? '' : canonicalJson(op.body)
  return { ...op, digest: requestDigest(method, String(op.path), body, op.before as string | undefined) }
}

interface Planned {
  readonly service: Service
  readonly env: Service['env'] & { readonly CRM_STATE_HOME: string }
  readonly folder: string
  readonly file: string
  readonly plan: Plan
  readonly victim: string
}

let count = 0

/** A plan that changes one deal, and a deal that it does not name. */
async function planned(service: Service): Promise<Planned> {
  const folder = tempFolder()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const name = `deal ${count++}`
  const make = async (more: string) =>
    (
      await crmPrints(
        ['deals', 'create', '--set', `name=${name}${more}`, '--set', 'stage=Lead', '--set', 'amount:=10', '-o', 'id'],
        env,
      )
    ).trim()
  await make('')
  const victim = await make(' victim')
  const file = join(folder, 'p.plan')
  const args = ['deals', 'update', '--where', `.name == "${name}"`, '--set', 'amount:=20', '--plan', file]
  await crmPrints([...args, '-o', 'json'], env)
  return { service, env, folder, file, plan: readPlan(file), victim }
}

type Refused = Planned & { readonly before: string }

const plans = new Map<string, Promise<Refused>>()

/** One plan for all that is refused, and a state home of its own for each; `before`: everything on the server. */
async function samePlanned(service: Service): Promise<Refused> {
  const make = async () => ({ ...(await planned(service)), before: await everything(service.env) })
  const plan = plans.get(service.url) ?? make()
  plans.set(service.url, plan)
  const folder = tempFolder()
  return { ...(await plan), folder, env: { ...service.env, CRM_STATE_HOME: join(folder, 'state') } }
}

const everything = async (env: Service['env']) => {
  const lists = await Promise.all(
    ['deals', 'contacts', 'webhooks'].map((noun) => crmPrints([noun, 'list', '-o', 'json', '--limit', '1000'], env)),
  )
  return lists.join('')
}

type Edit = (plan: Plan, planned: Planned) => Plan | string

const withHead =
  (more: JsonObject): Edit =>
  ({ head, ops, end }) => ({ head: { ...head, ...more }, ops, end })
const withOp =
  (change: (op: JsonObject, planned: Planned) => JsonObject): Edit =>
  ({ head, ops, end }, all) => ({ head, ops: ops.map((op) => signed(change(op as JsonObject, all))), end })
const raw =
  (change: (line: string) => string): Edit =>
  ({ head, ops, end }) => ({ head, ops: ops.map((op) => change(JSON.stringify(op))), end })
const counted = (ops: readonly (JsonObject | string)[], end: JsonObject, more: JsonObject) => ({
  ...end,
  ...more,
  rows: ops.length,
})

const EVIL_QUERY =
  'mutation($input:UpdateDealInput!){updateDeal(input:$input){deal{id}} x:deleteDeal(input:{id:"VICTIM"}){__typename}}'

const READ = { map: [], compute: [], isCsvSafe: false, required: [] }
const INPUT = { name: 'x.csv', sha256: 'a'.repeat(64), size: 1 }

/** What is wrong with a plan, and what its refusal names. */
const REFUSED: readonly (readonly [claim: string, edit: Edit, names: RegExp])[] = [
  [
    'a GraphQL document in its head',
    (plan, { victim }) =>
      withHead({
        updates: {
          path: '/v1/graphql',
          query: EVIL_QUERY.replace('VICTIM', victim),
          place: ['updateDeal', 'deal'],
          members: ['amount'],
        },
      })(plan, {} as Planned),
    /line 1: the member "updates"/,
  ],
  ['a member of the head that plans do not have', withHead({ address: 'http://127.0.0.1:9/' }), /line 1: .*"address"/],
  [
    'a member inside the terms that plans do not have',
    withHead({ terms: { as: 'update', match: { names: ['id'], mode: 'update', path: '/x' } } }),
    /line 1: .*"terms.match.path"/,
  ],
  [
    'terms of another kind',
    withHead({ terms: { as: 'delete', match: { names: ['id'], mode: 'update' }, read: READ } }),
    /line 1: terms\.as/,
  ],
  ['a noun that has no plans', withHead({ noun: 'webhooks' }), /line 1: .*"noun"/],
  ['a noun whose paths are others', withHead({ noun: 'contacts' }), /line 2: path/],
  ['a kind that has no plans', withHead({ kind: 'undo' }), /line 1: .*"kind"/],
  ['a deletion of notes, which have no list', withHead({ noun: 'notes', kind: 'delete' }), /line 1: .*"kind"/],
  [
    'a change of a note',
    withHead({ noun: 'notes', kind: 'import' }),
    /line 2: a plan of the kind import does not update/,
  ],
  ['a kind that does not do what an operation does', withHead({ kind: 'delete' }), /line 2: .*delete does not update/],
  ['the name of a job that it undoes', withHead({ of: 'job_0abc' }), /line 1: .*"of"/],
  ['jobs that come first', withHead({ needs: ['job_0abc'] }), /line 1: .*"needs"/],
  ['an order that its kind does not have', withHead({ ordered: true }), /line 1: .*"ordered"/],
  ['members of an undo', withHead({ only: ['amount'] }), /line 1: .*"only"/],
  ['an upsert without its terms', withHead({ upsert: 'email' }), /line 1: .*"upsert"/],
  ['a job id that leads elsewhere', withHead({ job: 'job_../../x' }), /line 1: .*"job"/],
  ['a job id that is too long for a folder', withHead({ job: `job_${'0'.repeat(300)}` }), /line 1: .*"job"/],
  ['the account of another server', withHead({ account: 'http://127.0.0.1:9' }), /belongs to http:\/\/127.0.0.1:9/],
  ['a time that no date has', withHead({ made_at: 1e300 }), /line 1: .*"made_at"/],
  ['a time that is a text', withHead({ made_at: 'now' }), /line 1: .*"made_at"/],
  ['a command that is no list', withHead({ command: 'rm' }), /line 1: .*"command"/],
  ['an input that is no object', withHead({ input: 'x' }), /line 1: .*"input"/],
  ['an input without members', withHead({ input: {} }), /line 1: .*"input\.name" is missing/],
  [
    'an input without its columns',
    withHead({ input: { ...INPUT, verdict: { format: 'csv', encoding: 'utf-8', hasBom: false } } }),
    /line 1: .*"input\.verdict\.columns" is missing/,
  ],
  [
    'a column without a name',
    withHead({ input: { ...INPUT, verdict: { format: 'csv', encoding: 'utf-8', hasBom: false, columns: [{}] } } }),
    /line 1: .*"input\.verdict\.columns"/,
  ],
  ['terms without a match', withHead({ terms: { as: 'update' } }), /line 1: .*"terms\.match" is missing/],
  [
    'a match without names',
    withHead({ terms: { as: 'update', match: { mode: 'update' } } }),
    /line 1: .*"terms\.match\.names" is missing/,
  ],
  [
    'terms that do not say how the file was read',
    withHead({ terms: { as: 'update', match: { names: ['id'], mode: 'update' } } }),
    /line 1: .*"terms\.read" is missing/,
  ],
  ['a request without members', withHead({ updates: {} }), /line 1: .*"updates\.path" is missing/],
  [
    'the name of a job that is made later, so that an undo of it would come before it',
    withHead({ job: 'job_7zzzzzzzzzz' }),
    /line 1: job_7zzzzzzzzzz is the id of a job that is made at 2089-/,
  ],
  ['a version of the format that is another', withHead({ crm_plan: 2 }), /head of a plan of this version/],
  ['a rate of its own', withHead({ rate_share: 100 }), /line 1: .*"rate_share"/],
  [
    'a head without a run',
    ({ head, ops, end }) => ({
      head: Object.fromEntries(Object.entries(head).filter(([name]) => name !== 'run')),
      ops,
      end,
    }),
    /line 1: .*"run" is missing/,
  ],
  ['a head that is null', () => 'null\n{"end":true}\n', /not a usable plan/],
  ['a head that is a list', () => '[1]\n{"end":true}\n', /not a usable plan/],
  ['a head that is a text', () => '"crm_plan"\n{"end":true}\n', /not a usable plan/],
  ['an end that is null', () => '{"crm_plan":1}\nnull\n', /not a usable plan/],
  ['nothing at all', () => '', /not a usable plan/],
  [
    'the head of __proto__',
    (plan) => ({ ...plan, head: JSON.parse(JSON.stringify(plan.head).replace('{', '{"__proto__":{"updates":1},')) }),
    /line 1: .*"__proto__"/,
  ],
  ['an operation that is null', ({ head, end }) => ({ head, ops: ['null'], end }), /not a usable plan/],
  ['a path of another record', withOp((op, { victim }) => ({ ...op, path: `/v1/deals/${victim}` })), /line 2: path/],
  ['a path with dots', withOp((op) => ({ ...op, path: `/v1/contacts/../deals/${String(op.id)}` })), /line 2: path/],
  ['a path with a query', withOp((op) => ({ ...op, path: `${String(op.path)}?x=1` })), /line 2: path/],
  ['a path with half an escape', withOp((op) => ({ ...op, path: '/v1/deals/%' })), /line 2: path/],
  ['an id of dots', withOp((op) => ({ ...op, id: '..', path: '/v1/deals/..' })), /line 2: "\.\." is not the id/],
  ['an empty id', withOp((op) => ({ ...op, id: '', path: '/v1/deals/' })), /line 2: "" is not the id/],
  ['an id that is a number', withOp((op) => ({ ...op, id: 7, path: '/v1/deals/7' })), /line 2: .*"id"/],
  [
    'an address of an operation',
    withOp((op) => ({ op: 0, address: 'http://127.0.0.1:9/', ...op })),
    /line 2: .*"address"/,
  ],
  [
    'the precondition as a list',
    withOp(({ body, ...op }) => ({ ...op, ifMatch: ['*'], body: body ?? null })),
    /line 2: .*"ifMatch"/,
  ],
  [
    'the precondition that any version meets',
    withOp(({ body, ...op }) => ({ ...op, ifMatch: '*', body: body ?? null })),
    /line 2: .*"ifMatch"/,
  ],
  ['an operation of the kind post', withOp((op) => ({ ...op, do: 'post' })), /line 2: .*"do"/],
  [
    'an operation that restores',
    withOp(({ body, ...op }) => ({ ...op, restores: true, body: body ?? null })),
    /line 2: .*"restores"/,
  ],
  [
    'an operation that waits',
    withOp(({ body, ...op }) => ({ ...op, after: 0, body: body ?? null })),
    /line 2: .*after/,
  ],
  [
    'an operation that was accepted',
    withOp(({ body, ...op }) => ({ ...op, taken: true, body: body ?? null })),
    /line 2: .*taken/,
  ],
  ['a change without the record before', withOp(({ before, ...op }) => op), /line 2: .*before/],
  ['a negative number of an operation', withOp((op) => ({ ...op, op: -1 })), /line 2: .*"op"/],
  ['a number that is no number', raw((line) => line.replace('"op":0', '"op":NaN')), /not JSON/],
  ['a number that is another line', withOp((op) => ({ ...op, op: 7 })), /line 2: op is 7/],
  ['a huge number', raw((line) => line.replace('"n":0', '"n":1e400')), /line 2: .*"n"/],
  [
    'a member twice',
    raw((line) => line.replace('"do":"update"', '"do":"create","do":"update"')),
    /line 2: a member is there twice/,
  ],
  [
    'a body twice',
    raw((line) => line.replace(/,"body":.*/, ',"body":{"amount":20},"body":{"amount":99}}')),
    /line 2: /,
  ],
  ['a body inside a member', raw((line) => line.replace('"n":0', '"n":0,"x":{"y":1,"body":{}}')), /not JSON|line 2/],
  ['a body that is a list', withOp((op) => ({ ...op, body: [1] })), /line 2: .*"body"/],
  ['a body in another form', raw((line) => line.replace('"body":{"amount":20}', '"body":{"amount":2e1}')), /line 2: /],
  [
    'a body of another request',
    raw((line) => line.replace('"body":{"amount":20}', '"body":{"amount":21}')),
    /line 2: digest/,
  ],
  [
    'a body nested without end',
    ({ head, ops, end }) => {
      const deep = `{"amount":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
      return { head, ops: ops.map((op) => JSON.stringify(op).replace('{"amount":20}', deep)), end }
    },
    /line 2: its values are nested deeper than 256 levels/,
  ],
  ['a delete that has a body', withOp((op) => ({ ...op, do: 'delete' })), /line 2: /],
  [
    'a delete that the end calls an update',
    ({ head, ops, end }, { victim }) => {
      const { body: _, was: __, ...op } = ops[0] as JsonObject
      const remove = signed({ ...op, do: 'delete', id: victim, path: `/v1/deals/${victim}` })
      return { head: { ...head, kind: 'delete' }, ops: [remove], end }
    },
    /line 3: update is 1, and the plan has 0/,
  ],
  [
    'counts of the end that are too small',
    ({ head, ops, end }) => ({ head, ops, end: { ...end, update: 0, rows: 0 } }),
    /line 3: update is 0/,
  ],
  ['rows that are not the sum', ({ head, ops, end }) => ({ head, ops, end: { ...end, rows: 9 } }), /line 3: rows is 9/],
  [
    'a count below 0',
    ({ head, ops, end }) => ({ head, ops, end: { ...end, unchanged: -1, rows: 0 } }),
    /line 3: .*"unchanged"/,
  ],
  [
    'a member of the end that plans do not have',
    ({ head, ops, end }) => ({ head, ops, end: { ...end, unsent: 0 } }),
    /line 3: .*"unsent"/,
  ],
  [
    'an operation behind its end',
    ({ head, ops, end }) => ({ head, ops: [...ops, end, { ...(ops[0] as JsonObject), op: 2 }], end }),
    /not an operation|line 3/,
  ],
  ['an end inside', ({ head, ops, end }) => ({ head, ops: [...ops, end], end }), /not an operation/],
  [
    'the same operation twice',
    ({ head, ops, end }) => {
      const twice = [ops[0] as JsonObject, { ...(ops[0] as JsonObject), op: 1 }]
      return { head, ops: twice, end: counted(twice, end, { update: 2 }) }
    },
    /line 3: operation 0 of the plan is the same request/,
  ],
  [
    'a time at which it was sent, of no job here',
    withOp(({ body, ...op }) => ({ ...op, since: 1, body: body ?? null })),
    /line 2: .*no job of this machine/,
  ],
  [
    'another value before the change than the record has',
    withOp(({ body, ...op }) => ({ ...op, was: '{"amount":19}', body: body ?? null })),
    /line 2: the plan says that "amount" was another value/,
  ],
  [
    'no value before the change where the record has one',
    withOp(({ body, ...op }) => ({ ...op, was: '{}', body: body ?? null })),
    /line 2: .*"was"/,
  ],
  [
    'the value before a change of another member',
    withOp(({ body, ...op }) => ({ ...op, was: '{"name":null}', body: body ?? null })),
    /line 2: .*"was"/,
  ],
  [
    'a value before the change that is nested without end',
    withOp(({ body, ...op }) => ({
      ...op,
      was: `{"amount":${'['.repeat(6000)}${']'.repeat(6000)}}`,
      body: body ?? null,
    })),
    /line 2: its values are nested deeper than 256 levels/,
  ],
  [
    'a row that fails for no reason',
    ({ head, end }) => ({
      head,
      ops: [{ op: 0, do: 'fail', path: '/v1/deals', digest: '', n: 0, failed: {} }],
      end: { ...end, update: 0, fail: 1, rejected: 1 },
    }),
    /line 2: .*"failed\.code" is missing/,
  ],
  [
    'a line that is longer than any record',
    raw((line) => line.replace('"body":{', `"body":{"a":"${'x'.repeat(17 * 1024 * 1024)}",`)),
    /the line at byte \d+ is too long/,
  ],
  [
    'values before the change that are no JSON',
    withOp(({ body, ...op }) => ({ ...op, was: '{', body: body ?? null })),
    /line 2: /,
  ],
  [
    'another record before a deletion than its digest is of',
    ({ head, ops, end }) => {
      const { body: _, ...op } = ops[0] as JsonObject
      const remove = signed({ ...op, do: 'delete', was: '{"id":"x"}' })
      return { head: { ...head, kind: 'delete' }, ops: [remove], end: { ...end, update: 0, delete: 1 } }
    },
    /line 2: .*"was"/,
  ],
  [
    'a note of a deal in another folder',
    ({ head, end }) => {
      const op = signed({
        op: 0,
        do: 'create',
        path: '/v1/deals/../contacts/notes',
        digest: '',
        n: 0,
        body: { body: 'x' },
      })
      return { head: { ...head, noun: 'notes', kind: 'import' }, ops: [op], end: { ...end, create: 1, update: 0 } }
    },
    /line 2: path/,
  ],
  [
    'a subscription in place of a contact',
    ({ head, end }) => {
      const op = signed({
        op: 0,
        do: 'create',
        path: '/v1/webhooks',
        digest: '',
        n: 0,
        body: { events: ['*'], url: 'http://127.0.0.1:9/two' },
      })
      return { head: { ...head, noun: 'contacts', kind: 'import' }, ops: [op], end: { ...end, create: 1, update: 0 } }
    },
    /line 2: path/,
  ],
]

test.for(REFUSED)('apply refuses a plan with %s, and changes nothing', async ([, edit, names], { service }) => {
  const all = await samePlanned(service)
  const edited = edit(all.plan, all)
  const file = join(all.folder, 'evil.plan')
  if (typeof edited === 'string') writeFileSync(file, edited)
  else writePlan(file, edited)
  const run = await crm(['apply', file, '--yes', '--expect', '1'], all.env)
  expect(run.stderr).toMatch(names)
  expect([2, 7]).toContain(run.exit)
  expect(await everything(all.env)).toBe(all.before)
  const jobs = join(all.env.CRM_STATE_HOME, 'jobs')
  expect(existsSync(jobs) ? readdirSync(jobs) : []).toEqual([])
})

test('apply sends the plan that none of these has touched, and shows what the record was', async ({ service }) => {
  const { env, folder, plan } = await planned(service)
  const file = writePlan(join(folder, 'same.plan'), plan)
  const run = await crm(['apply', file, '--yes', '-o', 'json'], env)
  const { job, ...result } = JSON.parse(run.stdout)
  expect(result).toMatchObject({ rows: 1, done: 1 })
  expect(readdirSync(join(env.CRM_STATE_HOME, 'jobs'))).toEqual([`${job}.db`, `${job}.lock`])
})

test('a saved plan has no request, no address and no file in it', async ({ service }) => {
  const { plan } = await planned(service)
  expect(plan.head).not.toHaveProperty('updates')
  expect(plan.head).not.toHaveProperty('rejects')
})

test('apply refuses a plan with the name of another job of this machine', async ({ service }) => {
  const { env, folder, file, plan, victim } = await planned(service)
  await crmPrints(['apply', file, '--yes', '-o', 'json'], env)
  const [op] = plan.ops as JsonObject[]
  const { body, ...other }: JsonObject = { ...op, id: victim, path: `/v1/deals/${victim}` }
  const evil = writePlan(join(folder, 'evil.plan'), { ...plan, ops: [signed({ ...other, body: body ?? null })] })
  const before = await everything(env)
  const run = await crm(['apply', evil, '--yes'], env)
  expect(run.exit).toBe(7)
  expect(run.stderr).toMatch(/is not the plan of job_\w+, which is a job of this machine/)
  expect(await everything(env)).toBe(before)
})

test('what a plan tells of its origin is no command, and reaches the terminal as escapes', async ({ service }) => {
  const { env, folder, plan } = await planned(service)
  const head = {
    ...plan.head,
    command: ['\u001b]0;PWN\u0007', 'x\nFORGED'],
    version: '\u001b[2J',
    input: { name: '\u001b[31mx\u202e', sha256: 'a'.repeat(64), size: 1 },
  }
  const file = writePlan(join(folder, 'odd.plan'), {
    ...plan,
    head: {
      ...head,
      input: {
        ...head.input,
        verdict: {
          format: 'csv',
          encoding: 'utf-8',
          hasBom: false,
          columns: [{ name: '\u001b[31m', field: 'a\u202e' }],
        },
      },
    },
  })
  const shown = await crm(['plan', 'show', file], env)
  const run = await crm(['apply', file, '--yes'], env)
  const job = onlyJob(env.CRM_STATE_HOME)
  const kept = await crm(['jobs', 'show', job], env)
  for (const { exit, stdout, stderr } of [shown, run, kept]) {
    expect(exit).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/)
    expect(stdout + stderr).not.toMatch(/^FORGED/m)
  }
  expect(kept.stdout).toContain(`crm apply ${file}`)
})

test('every member of a change is shown, with its whole value, and the deal of a note', async ({ service }) => {
  const { env, folder, victim } = await planned(service)
  const input = join(folder, 'notes.csv')
  writeFileSync(input, `deal_id,body\n${victim},${'long '.repeat(30)}the end\n`)
  const file = join(folder, 'notes.plan')
  await crmPrints(['notes', 'import', input, '--plan', file, '-o', 'json'], env)
  const { stdout } = await crm(['plan', 'show', file], env)
  expect(stdout).toContain(victim)
  expect(stdout).toContain('the end')
  expect(JSON.parse(await crmPrints(['plan', 'show', file, '-o', 'json'], env))).toMatchObject([{ parent: victim }])
})

test('a preview says how many members it does not list', async ({ service }) => {
  const { env, folder } = await planned(service)
  const names = Array.from({ length: 40 }, (_, at) => `m${at}`)
  const input = join(folder, 'wide.jsonl')
  writeFileSync(
    input,
    `${JSON.stringify({ email: 'wide@x.test', name: 'Wide', ...Object.fromEntries(names.map((name) => [name, 1])) })}\n`,
  )
  const file = join(folder, 'wide.plan')
  await crmPrints(['contacts', 'import', input, '--plan', file, '-o', 'json'], env)
  const { stderr } = await crm(['plan', 'show', file], env)
  expect(stderr).toMatch(/and \d+ more members/)
})

test('an empty plan with the name of an import does not keep the import from sending its rows', async ({ service }) => {
  const { env, folder } = await planned(service)
  const input = join(folder, 'all.csv')
  writeFileSync(input, 'email,name\nall1@x.test,One\nall2@x.test,Two\n')
  const file = join(folder, 'all.plan')
  await crmPrints(['contacts', 'import', input, '--plan', file, '-o', 'json'], env)
  const { head, ops, end } = readPlan(file)
  writePlan(file, { head, ops: ops.slice(0, 1), end: { ...end, create: 1, skipped: 1 } })
  await crmPrints(['apply', file, '--yes', '-o', 'json'], env)
  const run = await crm(['contacts', 'import', input, '--yes', '-o', 'json'], env)
  expect(JSON.parse(run.stdout)).toMatchObject({ done: 1, already: 1 })
})

test('apply refuses a plan whose rows another job of its run has sent since, which the server would answer with old responses', async ({
  service,
}) => {
  const { env, folder } = await planned(service)
  const input = join(folder, 'people.csv')
  writeFileSync(input, 'email,name\nrun1@x.test,One\n')
  const file = join(folder, 'people.plan')
  await crmPrints(['contacts', 'import', input, '--plan', file, '-o', 'json'], env)
  await crmPrints(['contacts', 'import', input, '-o', 'json'], env)
  const run = await crm(['apply', file, '--yes'], env)
  expect(run.exit).toBe(7)
  expect(run.stderr).toContain('another job of its run has sent the same request since')
})

test('two processes that apply plans of the same rows at once send them once', async ({ service }) => {
  const { env, folder } = await planned(service)
  const input = join(folder, 'twins.csv')
  writeFileSync(input, `email,name\n${Array.from({ length: 50 }, (_, at) => `twin${at}@x.test,T`).join('\n')}\n`)
  const file = join(folder, 'twins.plan')
  await crmPrints(['contacts', 'import', input, '--plan', file, '-o', 'json'], env)
  const plan = readPlan(file)
  const other = writePlan(join(folder, 'other.plan'), { ...plan, head: { ...plan.head, job: 'job_0sc406yy3sq' } })
  const runs = await Promise.all([file, file, other].map((path) => crm(['apply', path, '--yes', '-o', 'json'], env)))
  const sent = runs.filter(({ exit }) => exit === 0)
  expect(sent).toHaveLength(1)
  expect(JSON.parse(sent[0]?.stdout ?? '')).toMatchObject({ done: 50 })
  for (const { exit, stderr } of runs.filter((run) => !sent.includes(run))) {
    expect(stderr).toMatch(/was started meanwhile|is running, and may have sent|was stopped before|is held by process/)
    expect([7, 13]).toContain(exit)
  }
  expect(jobsIn(env.CRM_STATE_HOME)).toHaveLength(1)
})

test('apply asks before it sends creates that may change records', async ({ service }) => {
  const { env, folder } = await planned(service)
  const input = join(folder, 'upsert.csv')
  writeFileSync(input, 'email,name\nupsert1@x.test,One\n')
  const file = join(folder, 'upsert.plan')
  await crmPrints(['contacts', 'import', input, '--match', 'email', '--mode', 'upsert', '--plan', file], env)
  const text = /record (has|with) the same email (changes that record|is changed)/
  const shown = await crm(['plan', 'show', file], env)
  expect(shown.stderr).toMatch(text)
  expect((await crm(['apply', file, '--dry-run'], env)).stderr).toMatch(text)
  const unasked = await crm(['apply', file, '--no-input'], env)
  expect(unasked.stderr).toMatch(text)
  expect(unasked.exit).toBe(11)
  expect((await crm(['apply', file, '--yes'], env)).exit).toBe(0)
})

plainTest('a folder, a named pipe without a writer and a socket are no plans', async () => {
  const service = await startService()
  const home = tempFolder()
  const [folder, pipe, socket] = [join(home, 'x.plan'), join(home, 'pipe'), join(home, 'socket')]
  mkdirSync(folder)
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe])
  const server = createServer().listen(socket)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  for (const argv of [folder, pipe, socket].flatMap((path) => [
    ['apply', path, '--yes'],
    ['plan', 'show', path],
  ])) {
    const { exit, stderr } = await crm(argv, service.env)
    expect(exit).toBe(2)
    expect(stderr).toContain('it is not a regular file')
  }
})
