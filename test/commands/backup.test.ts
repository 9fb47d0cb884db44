import { copyFileSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { ask } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { serve, startService } from '../harness/service.ts'

describe('serve backup', () => {
  test('under load contains every write acknowledged before it, is sound, private, and a service runs on it', async () => {
    const folder = tempFolder()
    const [database, copy] = [join(folder, 'crm.db'), join(folder, 'copy.db')]
    const service = await startService(['--database', database, '--rate-limit', 'none'])
    const acknowledged: string[] = []
    let isOver = false
    const write = async () => {
      while (!isOver) {
        const request = { method: 'POST', path: '/v1/contacts', body: { pad: 'x'.repeat(2000) } }
        const { status, body } = await ask(service, request)
        expect(status).toBe(201)
        acknowledged.push(String(body.id))
      }
    }
    const writers = Array.from({ length: 4 }, write)
    await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(200)
    const before = acknowledged.slice()
    const made = JSON.parse(
      await crmPrints(['serve', 'backup', copy, '--database', database, '-o', 'json'], service.env),
    )
    const after = acknowledged.length
    isOver = true
    await Promise.all(writers)
    expect(after).toBeGreaterThan(before.length)

    expect(made).toMatchObject({ file: copy, database, size_bytes: statSync(copy).size })
    expect((statSync(copy).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    const db = new DatabaseSync(copy, { readOnly: true })
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    db.close()

    await service.stop()
    const restored = await serve(['--database', copy], emptyHome())
    const kept = new Set<unknown>()
    for (let cursor = ''; cursor !== 'null'; ) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await ask({ url: restored.url, key: service.key }, { path: `/v1/contacts?limit=500${query}` })
      for (const { id } of body.data as { id: string }[]) kept.add(id)
      cursor = String(body.next_cursor)
    }
    expect(before.filter((id) => !kept.has(id))).toEqual([])
    const write2 = { method: 'POST', path: '/v1/contacts', body: { name: 'after' } }
    expect((await ask({ url: restored.url, key: service.key }, write2)).status).toBe(201)
  })

  test('replaces nothing, and reports mistakes with their places', async () => {
    const folder = tempFolder()
    const { env, stop, database } = await startService(['--database', join(folder, 'crm.db')])
    await stop()
    const backup = (file: string) => ({ args: ['serve', 'backup', file, '--database', database], env })
    await expectRefusal(backup(database), {
      exit: 13,
      code: 'machine',
      what: /exists, and is not replaced/,
      next: /another file/,
    })
    const link = join(folder, 'link.db')
    symlinkSync(join(folder, 'gone.db'), link)
    await expectRefusal(backup(link), {
      exit: 13,
      code: 'machine',
      what: /exists, and is not replaced/,
      next: /another file/,
    })
    const nowhere = join(folder, 'none', 'b.db')
    await expectRefusal(backup(nowhere), { exit: 13, code: 'machine', what: /cannot use .*none/, next: /ls -ld/ })
    const missing = ['serve', 'backup', join(folder, 'b.db'), '--database', join(folder, 'no.db')]
    await expectRefusal({ args: missing, env }, { exit: 13, code: 'machine', what: /no database/, next: /crm serve/ })
    expect(existsSync(join(folder, 'b.db'))).toBe(false)
  })

  test('--every is refused for stdout and for what is no folder', async () => {
    const folder = tempFolder()
    const file = join(folder, 'a.txt')
    writeFileSync(file, '')
    const env = emptyHome()
    const args = (target: string) => ['serve', 'backup', target, '--every', '1h', '--database', join(folder, 'crm.db')]
    await expectRefusal(
      { args: args('-'), env },
      { exit: 2, code: 'usage', what: /needs a folder, got -/, next: /crm/ },
    )
    for (const target of [file, join(folder, 'none')]) {
      const refusal = { exit: 13, code: 'machine', what: /is not a folder/, next: /^mkdir -p / }
      await expectRefusal({ args: args(target), env }, refusal)
    }
  })

  test('restore names the backup that cannot be used, not a file of its own', async () => {
    const folder = tempFolder()
    const [backup, foreign] = [join(folder, 'text.db'), join(folder, 'foreign.db')]
    writeFileSync(backup, 'no database')
    const other = new DatabaseSync(foreign)
    other.exec('CREATE TABLE invoices (n)')
    other.close()
    const target = join(folder, 'new.db')
    const restore = (file: string, input = '') => ({
      args: ['serve', 'restore', file, '--database', target],
      env: emptyHome(),
      input,
    })
    const refusal = { exit: 13, code: 'machine', next: /^name a(nother)? backup/ }
    await expectRefusal(restore(backup), {
      ...refusal,
      what: new RegExp(`^(crm: )?the backup ${backup} is not a database$`),
    })
    await expectRefusal(restore(foreign), {
      ...refusal,
      what: new RegExp(`the backup ${foreign} belongs to another program`),
    })
    await expectRefusal(restore('-', 'no database'), { ...refusal, what: /the backup stdin is not a database$/ })
    await expectRefusal(restore(join(folder, 'none')), { ...refusal, what: /there is no file .*none$/ })
    expect(readdirSync(folder).sort()).toEqual(['foreign.db', 'text.db'])
  })

  test('restore refuses a backup with a trigger, a view, an index or a table of someone else, and names it', async () => {
    const folder = tempFolder()
    const database = join(folder, 'crm.db')
    await (await startService(['--database', database])).stop()
    const env = emptyHome()
    const backup = join(folder, 'backup.db')
    await crmPrints(['serve', 'backup', backup, '--database', database], env)
    const restored = (name: string, change: string) => {
      const [file, target] = [join(folder, `${name}.db`), join(folder, `${name}-restored.db`)]
      copyFileSync(backup, file)
      const db = new DatabaseSync(file)
      db.exec(change)
      db.close()
      return { target, line: { args: ['serve', 'restore', file, '--database', target], env } }
    }
    const refused = async (change: string, what: RegExp, next: RegExp) => {
      const { target, line } = restored(what.source.replaceAll(/\W+/g, '-'), change)
      await expectRefusal(line, { exit: 13, code: 'machine', what, next })
      expect(existsSync(target)).toBe(false)
    }
    await refused(
      'CREATE TRIGGER spy AFTER INSERT ON contacts BEGIN DELETE FROM history; END',
      /the backup .* has the trigger "spy", which crm does not make/,
      /^sqlite3 .*\.db 'DROP TRIGGER "spy"'$/,
    )
    await refused('CREATE VIEW all_keys AS SELECT * FROM api_keys', /view "all_keys"/, /DROP VIEW "all_keys"'$/)
    await refused('CREATE INDEX mine ON contacts (version)', /index "mine"/, /DROP INDEX "mine"'$/)
    await refused('CREATE TABLE invoices (n)', /table "invoices"/, /DROP TABLE "invoices"'$/)
    await refused('DROP INDEX deals_by_name', /lacks the index deals_by_name/, /^name another backup/)
    await refused(
      'DROP TRIGGER events_end_with_deliveries; CREATE TRIGGER events_end_with_deliveries AFTER DELETE ON deliveries BEGIN DELETE FROM contacts; END',
      /has another trigger events_end_with_deliveries than crm makes/,
      /^name another backup/,
    )
    await refused('ALTER TABLE stages ADD COLUMN more TEXT', /another table stages/, /^name another backup/)
    await refused('PRAGMA user_version = 3', /has another schema than it states/, /^name another backup/)
    const analyzed = restored('analyzed', 'ANALYZE')
    await crmPrints(analyzed.line.args, env)
    expect(existsSync(analyzed.target)).toBe(true)
  })
})
