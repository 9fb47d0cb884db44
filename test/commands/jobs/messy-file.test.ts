import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MESSY, messyLeads } from '../../../examples/messy-leads.ts'
import { crm } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOn, onlyJob, runJob } from '../../harness/import-run.ts'
import { ask } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

const MAP = [
  'E-Mail=email:email',
  'Telefon=phone:phone(DE)',
  'Firma=company',
  'Budget=budget:number(1.234,50 EUR)',
  'Seit=since:date(D.M.Y|M/D/YY)',
].join()

test('20,000 rows of two encodings, three shapes of dates and 250 bad rows are one command, and two with the corrections', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const [file, rejects, state] = [join(folder, 'messy-leads.csv'), join(folder, 'bad.csv'), join(folder, 'state')]
  writeFileSync(file, messyLeads())
  const env = { ...service.env, CRM_STATE_HOME: state }
  const bare = await crm(['contacts', 'import', file, '--match', 'email'], env)
  expect(bare).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--encoding mixed reads them as Windows-1252'),
  })

  const words = ['contacts', 'import', file, '--match', 'email', '--encoding', 'mixed', '--trim', '--map', MAP]
  const run = await runJob([...words, '--duplicates', 'merge', '--rejects', rejects], env)
  const { rows, rejected: failed, repeated: skipped, contacts: done } = MESSY
  expect(run).toMatchObject({ exit: 3, account: { rows, done, failed, skipped, in_doubt: 0, unsent: 0 } })
  expect(run.stderr).toContain('6000 lines are Windows-1252, the others UTF-8'.replace('6000', String(windowsLines())))
  const emails = await emailsOn(service)
  expect([emails.length, new Set(emails).size]).toEqual([done, done])
  const find = async (email: string) =>
    (await ask(service, { path: `/v1/contacts?email=${encodeURIComponent(email)}` })).body.data as object[]
  expect(await find('lead14007@leads.test')).toMatchObject([
    { name: 'Jürgen Groß 14007', phone: '+4930906007', company: 'Analytical Engines', budget: 4007.07 },
  ])

  const causes = readFileSync(rejects, 'latin1').split('\r\n').slice(1, -1)
  expect(causes).toHaveLength(failed)
  let fixed = 0
  const corrected = readFileSync(rejects, 'latin1')
    .replaceAll(';call back\r\n', '\r\n')
    .replaceAll(/;n\/a;|;lead\d+ at x\.test;/g, () => `;fixed${fixed++}@x.test;`)
    .replaceAll('ask Petra', '')
    .replaceAll('31.02.2024', '29.02.2024')
    .replaceAll('12.5 USD', '12,50 EUR')
  writeFileSync(rejects, corrected, 'latin1')
  const retried = await runJob(['jobs', 'retry', onlyJob(state), '--from', rejects, '--yes'], env)
  expect(retried).toMatchObject({ exit: 0, account: { rows: failed, done: failed } })
  expect(await emailsOn(service)).toHaveLength(done + failed)
})

/** Lines of the second part that have a character beyond ASCII. */
function windowsLines(): number {
  const lines = messyLeads().toString('latin1').split('\r\n').slice(14_001, -1)
  return lines.filter((line) => /[\x80-\xff]/.test(line)).length
}
