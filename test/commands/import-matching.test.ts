import { expect, test } from 'vitest'
import { serviceHome } from './service-home.ts'

const MATCH = ['--match', 'email', '--yes'] as const

test('a row changes the contact with its email, makes one where there is none, and sends nothing where nothing differs', async () => {
  const { service, json, file } = await serviceHome()
  const ada = await json('contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@x.test')
  await json('contacts', 'create', '--set', 'name=No Mail')
  const rows = file('rows.csv', 'email,name\n ADA@x.test,Ada L\nnew@x.test,New\n')
  expect(await json('contacts', 'import', rows, ...MATCH)).toMatchObject({ rows: 2, done: 2, unchanged: 0 })
  const { json: listed } = await service.send('GET', '/v1/contacts')
  expect(listed.data).toMatchObject([
    { name: 'New', email: 'new@x.test' },
    { name: 'No Mail' },
    { id: ada.id, name: 'Ada L', version: 2 },
  ])
  expect(await json('contacts', 'import', rows, ...MATCH, '--again')).toMatchObject({ done: 0, unchanged: 2 })
  expect((await service.send('GET', '/v1/contacts')).json).toEqual(listed)
})

test('with --mode update a row that matches nothing makes nothing', async () => {
  const { json, file } = await serviceHome()
  const rows = file('rows.csv', 'email,name\nnew@x.test,New\n')
  const outcome = await json('contacts', 'import', rows, ...MATCH, '--mode', 'update')
  expect(outcome).toMatchObject({ rows: 1, done: 0, skipped: 1 })
  expect(await json('contacts', 'list')).toEqual([])
})

test('a row without what it is matched by is refused, and so are two for one contact; nothing is sent', async () => {
  const { json, crm, file } = await serviceHome()
  await json('contacts', 'create', '--set', 'name=No Mail')
  for (const text of ['email,name\n,Nobody\n', 'email,name\na@x.test,A\nA@x.test ,B\n']) {
    const { exit, stderr } = await crm('contacts', 'import', file('rows.csv', text), ...MATCH)
    expect(exit, stderr).toBe(2)
  }
  expect(await json('contacts', 'list')).toMatchObject([{ name: 'No Mail', version: 1 }])
})

test('a file that was imported is not imported a second time unless that is asked', async () => {
  const { json, crm, file } = await serviceHome()
  const rows = file('rows.csv', 'name\nAda\nBob\n')
  expect(await json('contacts', 'import', rows)).toMatchObject({ done: 2 })
  expect((await crm('contacts', 'import', rows)).stderr).toContain('has already done this')
  expect(await json('contacts', 'list')).toHaveLength(2)
  expect(await json('contacts', 'import', rows, '--again', '--yes')).toMatchObject({ done: 2 })
  expect(await json('contacts', 'list')).toHaveLength(4)
})
