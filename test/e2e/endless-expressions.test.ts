import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { startCrm } from './crm.ts'
import { listen, newSecretFile, send } from './listening.ts'

const ENDLESS = 'def f: f; f'

/** Types Ctrl-C at most twice, the second time when the first has had no effect for long. */
async function interrupted(child: ReturnType<typeof startCrm>) {
  const timers = [1500, 6000].map((afterMs) => setTimeout(() => child.kill('SIGINT'), afterMs))
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
  onTestFinished(() => void child.kill('SIGKILL'))
  return await child.done.finally(() => {
    for (const timer of [...timers, late]) clearTimeout(timer)
  })
}

test.each([
  ['--jq', ['contacts', 'list', '--jq', ENDLESS]],
  ['--where', ['contacts', 'list', '--where', ENDLESS, '-o', 'jsonl']],
  ['--where of a bulk write', ['contacts', 'update', '--where', ENDLESS, '--set', 'company=Changed', '--yes']],
])('Ctrl-C ends an endless %s with exit 130, and nothing is changed', async (_, line) => {
  const service = await startService()
  await make(service, '/v1/contacts', [{ name: 'Ada' }])
  const { exit, stderr } = await interrupted(startCrm(line, service.env))
  expect({ exit, stderr }).toEqual({ exit: 130, stderr: expect.stringContaining('interrupted') })
  expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], service.env))).toMatchObject([{ name: 'Ada' }])
  expect(await crmPrints(['contacts', 'list', '--fields', 'company', '-o', 'csv'], service.env)).not.toContain(
    'Changed',
  )
})

test('Ctrl-C ends an import with an endless --compute with exit 130, and nothing is sent', async () => {
  const { env } = await startService()
  const file = join(tempFolder(), 'contacts.csv')
  writeFileSync(file, 'name\nAda\n')
  const line = ['contacts', 'import', file, '--compute', `company=${ENDLESS}`, '--yes']
  expect(await interrupted(startCrm(line, env))).toMatchObject({ exit: 130 })
  expect(JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))).toEqual([])
})

test('Ctrl-C ends a listener whose --where is endless, and the event is kept', async () => {
  const home = emptyHome()
  const { secret, args } = newSecretFile()
  const { url, stop } = await listen([...args, '--port', '0', '--where', ENDLESS], home)
  send(url, secret, { type: 'contact.created' }).catch(() => {})
  const ids = () => crmPrints(['webhooks', 'events', 'list', '-o', 'id'], home)
  await expect.poll(ids).toBe('evt_1\n')
  // The first may come before the expression begins, and then awaits it.
  const again = setTimeout(() => void stop(), 4000)
  expect(await stop()).toMatchObject({ exit: 130 })
  clearTimeout(again)
})
