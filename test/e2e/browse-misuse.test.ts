import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Env, emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal, type Terminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 40 }

async function serverOf(listener: RequestListener): Promise<Env> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: 'k' })
}

async function browse(env: Env, args: readonly string[] = []): Promise<Terminal> {
  const terminal = openTerminal(['browse', ...args], env, WIDE)
  await terminal.sees('? help')
  return terminal
}

function rows(count: number, from: number) {
  return Array.from({ length: count }, (_, index) => ({ id: `con_${from + index}`, name: `Row ${from + index}` }))
}

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('a server that fails in the middle of a list keeps the rows that came, and r tries again', async () => {
    let isBroken = true
    const env = await serverOf(({ url }, response) => {
      const isSecond = url?.includes('cursor=next') === true
      if (isSecond && isBroken) return void response.writeHead(500, { 'x-request-id': 'req_mid' }).end('{}')
      const body = { data: rows(50, isSecond ? 50 : 0), next_cursor: isSecond ? null : 'next', has_more: !isSecond }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    })
    const terminal = await browse(env, ['contacts', '--max-wait', '0s'])
    await terminal.sees('❯  Row 0')
    terminal.type('G')
    const screen = await terminal.sees('req_mid')
    expect(screen).toContain('Row 49')
    expect(screen).toContain('not complete (r tries again)')
    isBroken = false
    terminal.type('r')
    await expect
      .poll(
        () => {
          terminal.type('G')
          return terminal.screen()
        },
        { timeout: 8_000 },
      )
      .toMatch(/ of 100 *$/m)
  })

  test('a rate limit of the server is shown with the time left, and keys stay live', async () => {
    const env = await serverOf((_, response) => void response.writeHead(429, { 'retry-after': '30' }).end('{}'))
    const terminal = await browse(env, ['contacts'])
    await terminal.sees(/Waiting \d+ s/)
    terminal.type('?')
    await terminal.sees('Keys of Contacts')
    terminal.press('Escape')
    terminal.type('2')
    await terminal.sees('[2 Deals]')
  })

  test('5 KB pasted into a form are one line of one field, and send nothing', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Ada')
    terminal.type('e')
    await terminal.sees('Edit Ada')
    terminal.paste(`${'dy\n'.repeat(1700)}end`)
    await terminal.sees(/❯ name .*dy end/)
    expect(await all(service, '/v1/contacts')).toMatchObject([{ name: 'Ada' }])
    terminal.resize(80, 24)
    await terminal.sees(/❯ name .*dy end/)
    terminal.press('C-s')
    await terminal.sees('Saved Ada')
    expect(String((await all(service, '/v1/contacts'))[0]?.name)).toHaveLength(3 + 5103)
  })

  test('keys that arrive in one chunk are all handled', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }, { name: 'Four' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Four')
    terminal.type('jjj')
    await terminal.sees('❯  One')
    terminal.type('gge')
    await terminal.sees('Edit Four')
  })

  test('a list without rows says why, and what makes one', async () => {
    const service = await startService()
    const terminal = await browse(service.env)
    await terminal.sees('No contacts yet. n makes one.')
    terminal.press('M-4')
    await terminal.sees('No events are kept on this machine.')
    terminal.type(':')
    terminal.type('zzz')
    await terminal.sees('No command of this screen matches')
  })

  test('a note that was added is seen in the pane, which scrolls to what does not fit', async () => {
    const service = await startService()
    await make(service, '/v1/deals', [{ name: 'Engines', stage: 'Lead', amount: 1, about: 'long '.repeat(300) }])
    const terminal = await browse(service.env, ['deals'])
    await terminal.sees('❯  Engines')
    terminal.press('Enter')
    await terminal.sees('more lines, J scrolls')
    terminal.type('a')
    await terminal.sees('Note for Engines:')
    terminal.type('called them')
    terminal.press('Enter')
    await terminal.sees('Added the note')
    terminal.type('JJJJJJJJ')
    await terminal.sees(/● \d{4}-\d\d-\d\d.*called them.*deal_/s)
  })

  test('a note in two lines, the records of a job, and a new subscription', async () => {
    const service = await startService()
    await make(service, '/v1/deals', [
      { name: 'Engines', stage: 'Lead' },
      { name: 'Looms', stage: 'Lead' },
    ])
    await make(service, '/v1/deals', [{ name: 'Mills', stage: 'Lead' }])
    const terminal = await browse(service.env, ['deals'])
    await terminal.sees('❯  Mills')
    terminal.type('a')
    await terminal.sees('Note for Mills:')
    terminal.type('Called')
    terminal.press('C-o')
    terminal.type('Writes back')
    await terminal.sees('Called⏎Writes back')
    terminal.press('Enter')
    await terminal.sees('Added the note')
    terminal.type('j  b')
    terminal.type('amount:=7')
    terminal.press('Enter')
    await terminal.sees('Cancel')
    terminal.type('y')
    await terminal.sees('2 saved')
    terminal.press('Escape')
    terminal.type('5')
    await terminal.sees(/❯ +job_.*finished/)
    terminal.type('.')
    expect(await terminal.sees(/the 2 records of job_\w+ \(r shows all\)/)).not.toContain('Mills')
    terminal.type('r')
    await terminal.sees('Mills')
    terminal.type('6')
    await terminal.sees('[6 Webhooks]')
    terminal.type('n')
    await terminal.sees('URL and events:')
    terminal.type('https://app.example/hook contact.*')
    terminal.press('Enter')
    await terminal.sees(/whsec_.*crm does not keep it/s)
  })
})
