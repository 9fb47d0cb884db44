import { expect, test } from 'vitest'
import { startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

test('deals list --summary sums amounts exactly in every format, and names those in no sum', async () => {
  const amounts = ['52805342.48', '0.1', '"0.005"', '-0.005', 'null', '"a lot"', '9007199254740993']
  const deals = amounts.map((amount, at) => `{"id":"d_${at}","stage":"${at < 6 ? 'Won' : 'Lead'}","amount":${amount}}`)
  const { url } = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"data":[${deals}],"next_cursor":null}`)
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k_0123456789' })
  const printed = async (format: string) => {
    const { exit, stdout, stderr } = await crm(['deals', 'list', '--summary', 'stage', '-o', format], env)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'Not measured: 1 value that is not a number.\n' })
    return stdout
  }
  expect(await printed('jsonl')).toBe(
    '{"stage":"Lead","count":1,"amount":9007199254740993}\n{"stage":"Won","count":6,"amount":52805342.58}\n',
  )
  expect(await printed('csv')).toBe('stage,count,amount\r\nLead,1,9007199254740993\r\nWon,6,52805342.58\r\n')
  expect(await printed('table')).toMatch(/Lead +1 +9007199254740993 +█{24}\nWon +6 +52805342\.58 +▏\n/)
  expect(await printed('yaml')).toContain('amount: 52805342.58')
})
