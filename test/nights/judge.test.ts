import { describe, expect, test } from 'vitest'
import { randomFrom } from '../torture/random.ts'
import { type Contact, contactFaults, halfwayFaults, judgeMorning, type Morning } from './judge.ts'
import { csvOf, imported, Source } from './source.ts'

const ADA = { id: 'con_1', email: 'ada@x.test', name: 'Ada', phone: '+49 1', tier: 'A' }
const EVE = { id: 'con_2', email: 'eve@x.test', name: 'Eve' }

const line = (event: string, members: object) =>
  `${JSON.stringify({ time: '2026-03-01T02:15:00.000Z', event, ...members })}\n`
const START = line('start', { command: 'crm contacts import' })
const COUNTS = { create: 1, update: 0, unchanged: 1 }
const PLAN = line('plan', { job: 'job_1', rows: 2, delete: 0, skipped: 0, ...COUNTS })
const account = (done: number) =>
  line('account', { job: 'job_1', rows: 2, done, unchanged: 1, skipped: 0, failed: 0, in_doubt: 0, unsent: 0 })
const GOOD = `${START}${PLAN}${account(1)}${line('end', { exit: 0 })}`
const AWAY = `${START}${line('end', { exit: 9, code: 'unreachable' })}`
const ALERT = `${JSON.stringify({ command: 'crm contacts import', exit: 9, code: 'unreachable', account: {} })}\n`

/** A night whose first run fails and whose second one ends. */
const RIGHT: Morning = {
  expected: new Map<string, Contact>([
    [ADA.email, ADA],
    [EVE.email, { email: EVE.email, name: EVE.name }],
  ]),
  found: [ADA, EVE],
  runs: [
    { exit: 9, wanted: 9 },
    { exit: 0, wanted: 0, plan: COUNTS },
  ],
  log: `${AWAY}${GOOD}`,
  alerts: ALERT,
  personal: ['Ada', 'Eve', 'eve@x.test'],
}

test('a right morning has no faults', () => {
  expect(judgeMorning(RIGHT)).toEqual([])
})

describe('the judge finds', () => {
  test.each<[string, Partial<Morning>, RegExp]>([
    ['a doubled contact', { found: [ADA, EVE, { ...EVE, id: 'con_3' }] }, /eve@x.test is there 2 times/],
    ['a missing one', { found: [ADA] }, /eve@x.test is missing/],
    ['one that should be gone', { found: [ADA, EVE, { email: 'bob@x.test' }] }, /bob@x.test should not be there/],
    ['a lost value of a colleague', { found: [{ ...ADA, tier: null }, EVE] }, /tier of ada@x.test is null, not "A"/],
    ['an old value', { found: [ADA, { ...EVE, name: 'Eva' }] }, /name of eve@x.test is "Eva", not "Eve"/],
    ['one that was deleted and made again', { found: [{ ...ADA, id: 'con_9' }, EVE] }, /id of ada@x.test is "con_9"/],
    ['another exit', { runs: [{ exit: 7, wanted: 9 }, RIGHT.runs[1] as never] }, /run 0: exit 7, not 9/],
    ['another exit in the log', { log: `${AWAY.replace('9', '7')}${GOOD}` }, /run 0: the log ends with .*"exit":7/],
    ['a run that is not in the log', { log: GOOD }, /the log has 1 runs, not 2/],
    ['an event twice', { log: `${AWAY}${GOOD.replace(PLAN, PLAN + PLAN)}` }, /run 1: 2 events plan/],
    ['an account that does not add up', { log: `${AWAY}${GOOD.replace(account(1), account(2))}` }, /does not add up/],
    ['another plan', { log: `${AWAY}${GOOD.replace('"create":1', '"create":2')}` }, /the plan counts 2 create, not 1/],
    ['a log without its account', { log: `${AWAY}${GOOD.replace(account(1), '')}` }, /run 1: 0 accounts with exit 0/],
    ['a line that is cut off', { log: `${RIGHT.log}{"time"` }, /the last line of the log is cut off/],
    ['a line that is no JSON', { log: `${RIGHT.log}Plan: create 1\n` }, /a line that is no JSON: Plan: create 1/],
    ['a name in the log', { log: RIGHT.log.replace('unreachable', 'no_Ada') }, /the log has Ada/],
    ['any other text in it', { log: RIGHT.log.replace('"exit":0', '"sample":"A.","exit":0') }, /sample/],
    ['an email in an alert', { alerts: ALERT.replace('{}', '{"row":"eve@x.test"}') }, /an alert has eve@x.test/],
    ['a failure without an alert', { alerts: '' }, /alerts of exits , not 9/],
    ['an alert of a good night', { alerts: ALERT + ALERT.replace('9', '0') }, /alerts of exits 9,0, not 9/],
    ['an alert without its account', { alerts: ALERT.replace(',"account":{}', '') }, /an alert is not whole/],
  ])('%s', (_, wrong, fault) => {
    expect(judgeMorning({ ...RIGHT, ...wrong }).join('\n')).toMatch(fault)
  })
})

test('a killed run has no end in the log, and a contact that is neither as before nor as after is found', () => {
  const runs = [{ exit: 'SIGKILL', wanted: 'SIGKILL', plan: COUNTS } as const]
  const killed = { ...RIGHT, runs, alerts: '' }
  expect(judgeMorning({ ...killed, log: `${START}${PLAN}` })).toEqual([])
  expect(judgeMorning({ ...killed, log: GOOD })).toEqual(['run 0: it was killed, and the log has its end'])
  const [before, after] = [new Map([[ADA.email, ADA]]), new Map([[ADA.email, { ...ADA, phone: '+49 2' }]])]
  expect(halfwayFaults(before, after, [ADA])).toEqual([])
  expect(halfwayFaults(before, after, [{ ...ADA, phone: '+49 2' }])).toEqual([])
  expect(halfwayFaults(before, after, [{ ...ADA, phone: '+49 3' }])).toHaveLength(1)
  expect(halfwayFaults(before, after, [])).toEqual(['ada@x.test is missing'])
})

test('the rules: the file wins in its columns, empty cells and other columns stay, and who is missing is created', () => {
  const contacts = new Map<string, Contact>([
    [ADA.email, ADA],
    ['own@x.test', { email: 'own@x.test', name: 'Own' }],
  ])
  const rows = [
    { email: ADA.email, name: 'Ada L', phone: '', company: '' },
    { email: EVE.email, name: 'Eve', phone: '', company: 'ACME' },
  ]
  const { expected, plan } = imported(contacts, rows)
  expect(plan).toEqual({ create: 1, update: 1, unchanged: 0 })
  const [eve, own] = [{ email: EVE.email, name: 'Eve', company: 'ACME' }, contacts.get('own@x.test') as Contact]
  expect(contactFaults(expected, [{ ...ADA, name: 'Ada L' }, eve, own])).toEqual([])
  expect(imported(expected, rows).plan).toEqual({ create: 0, update: 0, unchanged: 2 })
})

test('a file has quotes where its cells need them, and nobody twice', () => {
  const source = new Source(randomFrom(1), 50)
  source.change(5)
  expect(new Set(source.rows.map(({ email }) => email)).size).toBe(50)
  expect(csvOf([{ email: 'a@x.test', name: 'A', phone: '', company: 'Kontor "Süd"' }])).toBe(
    'name,email,phone,company\nA,a@x.test,,"Kontor ""Süd"""\n',
  )
})
