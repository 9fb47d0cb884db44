import { expect, test } from 'vitest'
import type { EmulatorOptions, Row } from './emulators/emulator.ts'
import { reachAttio } from './reach-attio.ts'

test('companies and people are imported while answers get lost, none twice, and undone', async () => {
  const isWrite = ({ method, path }: { method: string; path: string }) =>
    method === 'PUT' || (method === 'POST' && !path.endsWith('/query'))
  let writes = 0
  const faults: EmulatorOptions['faults'] = (call) => {
    if (isWrite(call)) writes += 1
    return isWrite(call) && writes % 10 === 7 ? 'lose-answer' : undefined
  }
  const { emulator, fileOf, prints, json, state } = await reachAttio({ records: 3, faults })
  const before = state()
  const companies = Array.from({ length: 300 }, (_, at) => `Company ${at},Company${at}.test,Makers of ${at}`)
  await prints(
    'companies',
    'import',
    fileOf('c.csv', ['name,domain,description', ...companies]),
    '--match',
    'domain',
    '--yes',
  )
  const people = Array.from({ length: 1000 }, (_, at) => `p${at}@mail${at}.test,Ada P${at},company${at % 300}.TEST`)
  const words = ['contacts', 'import', fileOf('p.csv', ['email,name,company.domain', ...people]), '--match', 'email']
  await prints(...words, '--yes')
  expect(emulator.requests.filter(({ fault }) => fault === 'lose-answer').length).toBeGreaterThan(100)
  expect(['companies', 'people'].map((kind) => emulator.effects(kind, 'created'))).toEqual([300, 1000])
  const byId = new Map((await json('companies', 'list')).map(({ id, domain }: Row) => [id, domain]))
  const linked = await json('contacts', 'list', '--where', '.email | startswith("p7")', '--with', 'company')
  expect(linked.length).toBe(111)
  for (const { email, company_id, linked: its } of linked) {
    const number = Number(/^p(\d+)@/.exec(email)?.[1])
    const domain = `company${number % 300}.test`
    expect([byId.get(company_id), its.company.domain]).toEqual([domain, domain])
  }
  expect(await json(...words, '--yes')).toMatchObject({ done: 0, unchanged: 1000 })
  const jobs = (await json('jobs', 'list')).filter(({ done }: Row) => Number(done) > 0)
  for (const { id, done } of jobs) await prints('jobs', 'undo', id, '--yes', '--expect', String(done))
  expect(state()).toEqual(before)
})
