import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

test('--set amount=5 says amount:=5 before anything is sent, for one deal and for many', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [], next_cursor: null }))
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789' })
  const hints: readonly (readonly [string, string])[] = [
    ['amount=5', '--set amount:=5'],
    ['amount=-12.50', '--set amount:=-12.50'],
    ['amount=', '--set amount:=null'],
    ['amount=1,200', '--set amount:=1200, without a thousands separator; decimals after a point'],
  ]
  for (const command of [
    ['deals', 'create', '--set', 'name=A', '--set', 'stage=Lead'],
    ['deals', 'update', 'd_1'],
    ['deals', 'update', '--where', 'true', '--yes'],
  ]) {
    for (const [set, hint] of hints) {
      const { exit, stderr } = await crm([...command, '--set', set], env)
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr: `crm: --set ${set} is a text, and amount is a number; nothing was sent\n  ${hint}\n`,
      })
    }
  }
  expect(seen).toEqual([])
  // Of a contact nothing says that its amount is a number.
  expect((await crm(['contacts', 'create', '--set', 'amount=5', '--dry-run'], env)).exit).toBe(0)
})

test('for many records the records show which members are numbers; := still writes a text', async () => {
  const data = [
    { id: 'c_1', zip: '12345', score: null },
    { id: 'c_2', score: 3, home: { floor: 2 } },
  ]
  const { url, seen } = await startServer((response, { path, body }) => {
    const record = data.find(({ id }) => path.endsWith(`/${id}`))
    sendJson(response, 200, record ? { ...record, ...JSON.parse(body || '{}') } : { data, next_cursor: null })
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789' })
  const update = (set: string) => crm(['contacts', 'update', '--where', 'true', '--set', set, '--yes'], env)
  expect(await update('score=5')).toMatchObject({
    exit: 2,
    stderr: 'crm: --set score=5 is a text, and score is a number; nothing was sent\n  --set score:=5\n',
  })
  expect(await update('home.floor=5')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--set home.floor:=5'),
  })
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  for (const set of ['zip=54321', 'score:="5"']) expect((await update(set)).exit, set).toBe(0)
})

async function startWithOwnMembers(listStatus = 200) {
  const data = [{ id: 'c_1', zip: '12345', score: 3, size: { inches: 2 } }]
  const { url, seen } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, listStatus, { data, next_cursor: null })
    sendJson(response, 200, { id: 'c_1', ...JSON.parse(body) })
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789' })
  return { seen, run: (...argv: string[]) => crm(['contacts', ...argv], env) }
}

test('one record: an unknown member is a number by the records of the server', async () => {
  for (const command of [
    ['update', 'c_1'],
    ['create', '--set', 'name=A'],
  ]) {
    for (const name of ['score', 'size.inches']) {
      const { run, seen } = await startWithOwnMembers()
      expect(await run(...command, '--set', `${name}=5`)).toMatchObject({
        exit: 2,
        stderr: `crm: --set ${name}=5 is a text, and ${name} is a number; nothing was sent\n  --set ${name}:=5\n`,
      })
      expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
    }
  }
})

test('one record: nothing is requested for known members, for texts without digits, or with :=', async () => {
  const { run, seen } = await startWithOwnMembers()
  for (const set of ['phone=12345', 'name=5', 'score:=5', 'score:="5"', 'title=CEO']) {
    expect((await run('update', 'c_1', '--set', set)).exit, set).toBe(0)
  }
  expect(seen.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH'])
  // One page of records says that it is a text.
  expect((await run('update', 'c_1', '--set', 'zip=54321')).exit).toBe(0)
  expect(seen.slice(5).map(({ method }) => method)).toEqual(['GET', 'PATCH'])
  for (const set of ['code=5', 'unheard_of=5']) expect((await run('update', 'c_1', '--set', set)).exit, set).toBe(0)
})

test('one record: a key without permission to list can still write', async () => {
  const { run } = await startWithOwnMembers(403)
  expect((await run('update', 'c_1', '--set', 'score=5')).exit).toBe(0)
})
