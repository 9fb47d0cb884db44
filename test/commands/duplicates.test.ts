import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'

async function withPeople() {
  const service = await startService()
  const ids = await make(service, '/v1/contacts', [
    { name: 'Ada Lovelace', email: 'ada@x.test', company: 'Engines' },
    { name: 'Ada Lovelace', email: 'ADA@x.test' },
    { name: 'Grace Hopper', email: 'grace@x.test' },
    { name: 'Hopper, Gracee', email: 'g@y.test', company: 'Navy' },
  ])
  return { ...service, ids }
}

test('contacts duplicates prints a group a line, with what connects it and the winner first', async () => {
  const { env, ids } = await withPeople()
  const { exit, stdout, stderr } = await crm(['contacts', 'duplicates', '-o', 'jsonl'], env)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '2 groups, 4 contacts.\n' })
  const groups = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(groups).toEqual([
    { by: 'name~', key: 'hopper, gracee ~ grace hopper', score: 0.98, winner: ids[3], ids: [ids[3], ids[2]] },
    { by: 'email,name~', key: 'ada@x.test; ada lovelace', score: 1, winner: ids[0], ids: [ids[0], ids[1]] },
  ])
  expect(await crmPrints(['contacts', 'duplicates', '--by', 'email', '--fields', 'key,ids'], env)).toBe(
    `KEY         IDS\nada@x.test  ${ids[0]} ${ids[1]}\n`,
  )
})

test('--where chooses the contacts that are compared, and --limit counts groups', async () => {
  const { env } = await withPeople()
  const some = await crm(['contacts', 'duplicates', '--where', '.company == null', '-o', 'json'], env)
  expect(some).toEqual({ exit: 0, stdout: '[]\n', stderr: 'No duplicates.\n' })
  const one = await crm(['contacts', 'duplicates', '--limit', '1', '-o', 'json', '--jq', 'length'], env)
  expect(one).toMatchObject({ exit: 0, stdout: '1\n', stderr: 'The first 1 of 2 groups, 4 contacts.\n' })
})

test('a group of more than ten is printed, and said to be rarely one person', async () => {
  const service = await startService()
  const phone = '+49 30 1234567'
  await make(
    service,
    '/v1/contacts',
    Array.from({ length: 11 }, (_, at) => ({ name: `P${at} Q${at}`, phone })),
  )
  const { exit, stderr } = await crm(['contacts', 'duplicates', '-o', 'json'], service.env)
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: '1 group, 11 contacts.\n1 group has more than 10 contacts, up to 11 by phone: rarely one person.\n',
  })
})

test('a misspelt member, a wrong threshold and -o id are refused, with what to type', async () => {
  const { env } = await withPeople()
  const refused = (...words: string[]) => crm(['contacts', 'duplicates', ...words], env)
  expect(await refused('--by', 'emial')).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining('did you mean email?'),
  })
  expect(await refused('--threshold', '2')).toMatchObject({ exit: 2, stderr: expect.stringContaining('such as 0.92') })
  expect(await refused('-o', 'id')).toMatchObject({ exit: 2, stderr: expect.stringContaining("--jq '.ids[]'") })
})
