import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { newDatabase } from '../harness/database.ts'
import { emptyHome } from '../harness/home.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { serve } from '../harness/service.ts'

describe('serve --unique', () => {
  test('is kept in the database, said at each start, and ended with none', async () => {
    const home = emptyHome()
    const first = await serve(['--unique', 'contacts.email'], home)
    expect(first.said()).toContain('Unique: contacts.email.')
    await crmPrints(['contacts', 'create', '--set', 'email=ada@x.test'], home)
    await first.stop()
    const port = ['--port', new URL(first.url).port]
    const second = await serve(port, home)
    expect(second.said()).toContain('Unique: contacts.email.')
    const refused = { args: ['contacts', 'create', '--set', 'email=Ada@x.test'], env: home }
    await expectRefusal(refused, { exit: 7, code: 'conflict', what: /con_\w+ already has this email/, next: /./ })
    await second.stop()
    const third = await serve([...port, '--unique', 'none'], home)
    expect(third.said()).not.toContain('Unique')
    expect((await crm(refused.args, home)).exit).toBe(0)
  })

  test('does not start on a database where contacts share a value, and lists them', async () => {
    const home = emptyHome()
    const first = await serve([], home)
    for (const email of ['a@x.test', 'b@x.test', 'A@x.test ']) {
      await crmPrints(['contacts', 'create', '--set', `email=${email}`], home)
    }
    const ids = (await crmPrints(['contacts', 'list', '-o', 'id'], home)).trim().split('\n')
    await first.stop()
    const { exit, stderr } = await crm(['serve', '--port', '0', '--unique', 'contacts.email'], home)
    expect([exit, stderr.split('\n').slice(0, 2)]).toEqual([
      13,
      [
        `email "a@x.test": ${ids[2]}, ${ids[0]}`,
        `crm: contacts.email cannot be unique in database ${first.database}: 1 value is shared by several contacts`,
      ],
    ])
  })

  test.each([
    ['contacts.emial', /Did you mean contacts\.email/],
    ['deals.name', /Expected members of contacts/],
    ['contacts.id', /id is set by the service/],
  ])('refuses %s', async (list, what) => {
    await expectRefusal(
      { args: ['serve', '--database', ':memory:', '--unique', list], env: emptyHome() },
      { exit: 2, code: 'usage', what, next: /^crm serve --help/ },
    )
  })

  test('checks a seed before a database is made for it', async () => {
    const database = await newDatabase()
    const seed = JSON.stringify({ contacts: [{ email: 'a' }, { email: 'b' }, { email: 'A' }] })
    const args = ['serve', '--port', '0', '--database', database, '--unique', 'contacts.email', '--seed', '-']
    const { exit, stderr } = await crm(args, emptyHome(), seed)
    expect([exit, existsSync(database)]).toEqual([2, false])
    expect(stderr).toContain('crm: --seed: contacts[2]: contacts[0] has the same email, which must be unique')
  })
})
