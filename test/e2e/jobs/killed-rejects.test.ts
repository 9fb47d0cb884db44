import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../../harness/home.ts'
import { emailsOn, onlyJob, runJob } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'

const ROWS = 3000

/** Every tenth row has a bad telephone number; every fiftieth comes again at the end, with another company. */
function leads(): string {
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const phone = at % 10 === 9 ? 'ask Petra' : `030 ${901_000 + at}`
    return `Lead ${at};l${at}@x.test;${phone};"1.${String(at % 1000).padStart(3, '0')},50 EUR";\n`
  })
  const again = Array.from({ length: ROWS / 50 }, (_, at) => `;L${at * 50}@x.test;;;Orbit\n`)
  return `Name;E-Mail;Tel;Budget;Company\n${[...rows, ...again].join('')}`
}

test('killed again and again, an import with rejects, conversions and merged rows sends each row once', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const [file, rejects, state] = [join(folder, 'leads.csv'), join(folder, 'bad.csv'), join(folder, 'state')]
  writeFileSync(file, leads())
  const env = { ...service.env, CRM_STATE_HOME: state }
  const map = 'Tel=phone:phone(DE),Budget=budget:number(1.234,50 EUR)'
  const words = ['contacts', 'import', file, '--match', 'email', '--map', map, '--duplicates', 'merge']
  const asked = [...words, '--rejects', rejects]
  let kills = 0
  for (let sent = 0; sent < ROWS * 0.8; kills++) {
    const child = startCrm([...asked, '--concurrency', '4'], env)
    const ended = once(child, 'exit')
    const before = sent
    while (sent < before + 150 && child.exitCode === null) {
      await delay(20)
      sent = (await emailsOn(service)).length
    }
    child.kill('SIGKILL')
    await ended
  }
  expect(kills).toBeGreaterThan(3)
  const good = ROWS * 0.9
  const run = await runJob(asked, env)
  expect(run).toMatchObject({
    exit: 3,
    account: { rows: ROWS + 60, done: good, failed: 300, skipped: 60, in_doubt: 0 },
  })
  const emails = await emailsOn(service)
  expect([emails.length, new Set(emails).size]).toEqual([good, good])
  const lines = readFileSync(rejects, 'utf8').trim().split('\n').slice(1)
  expect(lines.map((line) => Number(line.split(';')[0]))).toEqual(Array.from({ length: 300 }, (_, at) => at * 10 + 11))

  writeFileSync(rejects, readFileSync(rejects, 'utf8').replaceAll('ask Petra', '030 901234'))
  const retry = ['jobs', 'retry', onlyJob(state), '--from', rejects, '--yes']
  const child = startCrm(retry, env)
  const ended = once(child, 'exit')
  while ((await emailsOn(service)).length < good + 50 && child.exitCode === null) await delay(20)
  child.kill('SIGKILL')
  await ended
  expect(await runJob(retry, env)).toMatchObject({ exit: 0, account: { rows: 300, done: 300 } })
  const all = await emailsOn(service)
  expect([all.length, new Set(all).size]).toEqual([ROWS, ROWS])
})
