import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { startApp } from '../../webhooks/app.ts'
import { sampleEvent } from '../../webhooks/sample-event.ts'
import { newSecret } from '../../webhooks/signed.ts'
import { attemptAt, homeWith } from './kept-events.ts'

function secretFile(secret = newSecret()) {
  const path = join(tempFolder(), 'secret')
  writeFileSync(path, `${secret}\n`)
  return { secret, args: ['--secret-file', path] }
}

const EVENTS = ['a', 'b', 'c', 'd', 'e'].map((name) => sampleEvent(`evt_${name}`))
const [a, b, c] = EVENTS as [
  ReturnType<typeof sampleEvent>,
  ReturnType<typeof sampleEvent>,
  ReturnType<typeof sampleEvent>,
]

test('a list has what the handler took, --failed what it refused, and --where and --jq see both', async () => {
  const done = { status: 200, failure: undefined }
  const { home } = await homeWith(EVENTS, [
    attemptAt(a, done),
    attemptAt(b),
    attemptAt(c),
    attemptAt(c, { ...done, attempt: 2 }),
  ])
  const list = (...more: string[]) => crmPrints(['webhooks', 'events', 'list', ...more], home)
  expect(await list('-o', 'csv', '--fields', 'id,outcome,status,failure')).toBe(
    [
      'id,outcome,status,failure',
      'evt_e,,,',
      'evt_d,,,',
      'evt_c,done,200,',
      'evt_b,failed,500,answered 500',
      'evt_a,done,200,',
      '',
    ].join('\r\n'),
  )
  expect(await list('-o', 'id', '--failed')).toBe('evt_b\n')
  expect(await list('-o', 'id', '--failed', '--since', '1s')).toBe('')
  expect(await list('-o', 'id', '--where', '.outcome == "done"')).toBe('evt_c\nevt_a\n')
  const shown = JSON.parse(await crmPrints(['webhooks', 'events', 'show', 'evt_c', '-o', 'json'], home))
  expect(shown).toMatchObject({
    outcome: 'done',
    attempts: [
      { status: 500, answer: 'no' },
      { status: 200, attempt: 2 },
    ],
  })
  const exported = await crmPrints(['webhooks', 'events', 'export', '--where', '.outcome == "failed"'], home)
  expect(
    exported
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual(['evt_b'])
})

test('a replay names the refused ones, and --failed sends exactly those again until they are taken', async () => {
  const { args } = secretFile()
  const { home } = await homeWith(EVENTS)
  let isFixed = false
  const app = await startApp((response, { headers }) => {
    const isRefused = !isFixed && /evt_[bd]/.test(String(headers['webhook-id']))
    response.writeHead(isRefused ? 422 : 200).end(isRefused ? 'amount is missing' : 'ok')
  })
  const replay = ['webhooks', 'replay', '--since', '2020-01-01', '--to', app.url, ...args]
  const refused = await crm(replay, home)
  expect(refused.exit).toBe(3)
  expect(refused.stderr).toMatch(/^crm: 2 of 5 were not accepted \(evt_b, evt_d\): http.*: answered 422\n/)
  expect(refused.stderr).toContain(`crm ${replay.join(' ')} --failed`)
  const shown = JSON.parse(await crmPrints(['webhooks', 'events', 'show', 'evt_b', '-o', 'json'], home))
  expect(shown).toMatchObject({ outcome: 'failed', status: 422, attempts: [{ answer: 'amount is missing' }] })

  const dry = await crm([...replay, '--failed', '--dry-run', '-o', 'jsonl'], home)
  expect(
    dry.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual(['evt_b', 'evt_d'])
  expect(dry).toMatchObject({ exit: 0, stderr: 'Dry run: nothing was sent; 2 events would be.\n' })
  expect(app.requests).toHaveLength(5)

  isFixed = true
  expect(await crm([...replay, '--failed'], home)).toMatchObject({ exit: 0, stderr: '' })
  expect(
    app.requests
      .slice(5)
      .map(({ headers }) => headers['webhook-id'])
      .toSorted(),
  ).toEqual(['evt_b', 'evt_d'])
  expect(await crm([...replay, '--failed'], home)).toMatchObject({ exit: 0, stdout: '', stderr: 'No events.\n' })
  expect(app.requests).toHaveLength(7)
})

test('a replay by ids names the ones to send again', async () => {
  const { args } = secretFile()
  const { home } = await homeWith(EVENTS)
  const app = await startApp((response, { headers }) =>
    response.writeHead(headers['webhook-id'] === 'evt_c' ? 500 : 200).end(),
  )
  const { exit, stderr } = await crm(['webhooks', 'replay', 'evt_a', 'evt_c', '--to', app.url, ...args], home)
  expect(exit).toBe(3)
  expect(stderr).toContain(`crm webhooks replay evt_c --to ${app.url} --secret-file`)
})

test('a secret that the handler prints is not in the log', async () => {
  const { secret, args } = secretFile()
  const { home } = await homeWith(EVENTS)
  const app = await startApp((response) =>
    response.writeHead(500).end(`wrong secret ${secret}, and crm_key_abcdefghijkl`),
  )
  await crm(['webhooks', 'replay', 'evt_a', '--to', app.url, ...args], home)
  const shown = await crmPrints(['webhooks', 'events', 'show', 'evt_a', '-o', 'json'], home)
  expect(JSON.parse(shown).attempts).toMatchObject([{ answer: 'wrong secret [redacted], and [redacted]' }])
})

test('an event is sent with changes: signed again, with a new id, and numbers stay numbers', async () => {
  const { Webhook } = await import('standardwebhooks')
  const { secret, args } = secretFile()
  const bytes = Buffer.from('{"type":"deal.updated","data":{"id":"deal_1","amount":12.50,"n":12345678901234567890}}')
  const { home } = await homeWith([sampleEvent('evt_a', { bytes })])
  const app = await startApp()
  const replay = ['webhooks', 'replay', 'evt_a', '--to', app.url, ...args]
  const run = await crm([...replay, '--set', 'data.amount=5', '--set', 'data.stage=Won'], home)
  expect(run).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^evt_a with changes is evt_\w+\.\n$/) })
  const [request] = app.requests
  expect(request?.body.toString()).toBe(
    '{"type":"deal.updated","data":{"id":"deal_1","amount":5,"n":12345678901234567890,"stage":"Won"}}',
  )
  expect(request?.headers['webhook-id']).not.toBe('evt_a')
  new Webhook(secret).verify(request?.body.toString() ?? '', request?.headers as Record<string, string>)
  // The kept event is as it was, and was not sent.
  expect(await crmPrints(['webhooks', 'events', 'list', '--jq', '.[] | .outcome, .body.data.amount'], home)).toBe(
    'null\n12.5\n',
  )
  expect(await crm([...replay, '--set', 'data.amount=five'], home)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('data.amount is a number'),
  })
})

test.each([
  ['type=', 'the changed event has no type: it is ""'],
  ['type:=null', 'the changed event has no type: it is null'],
])('an event is not sent without its type: --set %s', async (member, reason) => {
  const { args } = secretFile()
  const { home } = await homeWith(EVENTS)
  const app = await startApp()
  const run = await crm(['webhooks', 'replay', 'evt_a', '--to', app.url, '--set', member, ...args], home)
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining(reason) })
  expect(run.stderr).toContain('--set type=contact.created')
  expect(app.requests).toEqual([])
})

test('an editor changes an event; one that changes nothing, or breaks it, sends nothing', async () => {
  const { args } = secretFile()
  const { home } = await homeWith(EVENTS)
  const app = await startApp()
  const edit = (editor: string) =>
    crm(['webhooks', 'replay', 'evt_a', '--edit', '--to', app.url, ...args], {
      ...home,
      EDITOR: editor,
      PATH: process.env.PATH ?? '',
    })
  expect(await edit('sed -i s/con_evt_a/con_9/')).toMatchObject({ exit: 0 })
  expect(JSON.parse(app.requests[0]?.body.toString() ?? '')).toMatchObject({ data: { id: 'con_9' } })
  expect(await edit('true')).toMatchObject({ exit: 2, stderr: expect.stringContaining('evt_a was not changed') })
  expect(await edit('sed -i s/{//')).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/is not JSON.*\n.*stays in/),
  })
  expect(app.requests).toHaveLength(1)
})

test.each([
  [['evt_a', '--failed'], /expected ids, or --since or --failed, and not both/],
  [['evt_a', 'evt_b', '--edit'], /--edit changes one event/],
  [['evt_a', '--set', 'data.a=1', '--original'], /--original sends the received bytes/],
] as const)('replay %j is refused', async ([...words], what) => {
  const { home } = await homeWith(EVENTS)
  const run = await crm(['webhooks', 'replay', ...words, '--to', '3000'], home)
  expect(run).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringMatching(what) })
})

test('--set of a member that neither the event nor its type has is refused with the near one, and --set-new adds it', async () => {
  const app = await startApp()
  const { home } = await homeWith(EVENTS)
  const { args } = secretFile()
  const send = (...more: string[]) => crm(['webhooks', 'replay', 'evt_a', '--to', app.url, ...args, ...more], home)
  const slip = await send('--set', 'data.nmae=Eve')
  expect(slip).toMatchObject({ exit: 2, stderr: expect.stringContaining('has no member data.nmae; nothing was sent') })
  expect(slip.stderr).toContain('did you mean data.name? to add a member: --set-new data.nmae=Eve')
  expect(await send('--set', 'nmae=Eve')).toMatchObject({ exit: 2 })
  expect(app.requests).toHaveLength(0)
  expect(await send('--set', 'data.company=Acme', '--set-new', 'data.tier:=3')).toMatchObject({ exit: 0 })
  const { data } = JSON.parse(String(app.requests[0]?.body))
  expect(data).toMatchObject({ company: 'Acme', tier: 3 })
})
