import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'

async function withDeals() {
  const service = await startService()
  const deal = (name: string, amount?: number) => ({
    name,
    stage: 'Lead',
    ...(amount !== undefined && { amount }),
  })
  await make(service, '/v1/deals', [deal('C', 5), deal('none'), deal('A', 5), deal('B', 9), deal('D', 1)])
  const names = async (...words: string[]) =>
    (await crmPrints(['deals', 'list', ...words, '-o', 'jsonl', '--fields', 'name'], service.env))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name)
  return { ...service, names }
}

test('--sort prints a list in another order; --limit then prints the first ones, and says of how many', async () => {
  const { env, names } = await withDeals()
  expect(await names('--sort', '-amount,name')).toEqual(['B', 'A', 'C', 'D', 'none'])
  expect(await names('--sort', 'amount')).toEqual(['D', 'A', 'C', 'B', 'none'])
  expect(await names('--sort', 'name', '--where', '.amount == 5')).toEqual(['A', 'C'])
  const top = await crm(['deals', 'list', '--sort', '-amount', '--limit', '2', '-o', 'csv', '--fields', 'name'], env)
  const stderr = 'The first 2 of 5: crm deals list --sort -amount -o csv --fields name --limit 4\n'
  expect(top).toEqual({ exit: 0, stdout: 'name\r\nB\r\nA\r\n', stderr })
})

test('a misspelt member, and --cursor, are refused before a sorted list prints anything', async () => {
  const { env } = await withDeals()
  const slip = await crm(['deals', 'list', '--sort', 'amuont'], env)
  expect(slip).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('did you mean amount?') })
  const cursor = await crm(['deals', 'list', '--sort', 'name', '--cursor', 'x'], env)
  expect(cursor).toMatchObject({ exit: 2, stderr: expect.stringContaining('needs the whole list') })
})

test('notes, contacts and summaries take --sort, too', async () => {
  const service = await startService()
  await make(service, '/v1/contacts', [{ name: 'B' }, { name: 'A' }, { name: 'C' }])
  const [dealId = ''] = await make(service, '/v1/deals', [{ name: 'D', stage: 'Lead' }])
  await make(service, `/v1/deals/${dealId}/notes`, [{ body: 'b' }, { body: 'c' }, { body: 'a' }])
  const csv = (...words: string[]) => crmPrints([...words, '-o', 'csv'], service.env)
  expect(await csv('contacts', 'list', '--sort', '-name', '--fields', 'name')).toBe('name\r\nC\r\nB\r\nA\r\n')
  expect(await csv('contacts', 'list', '--sort', 'name', '--limit', '1', '--fields', 'name')).toBe('name\r\nA\r\n')
  expect(await csv('notes', 'list', dealId, '--sort', 'body', '--fields', 'body')).toBe('body\r\na\r\nb\r\nc\r\n')
  expect(await csv('contacts', 'list', '--summary', 'name', '--sort', '-name')).toBe(
    'name,count\r\nC,1\r\nB,1\r\nA,1\r\n',
  )
})
