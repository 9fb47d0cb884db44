import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeText } from '../../src/core/streams.ts'
import { openPager, pagerCommand } from '../../src/output/pager.ts'
import { PagerClosed } from '../../src/output/print-records.ts'
import { tempFolder } from '../files/temp-folder.ts'

const terminal = { write: () => true, isTTY: true, columns: 72 }
const env = { PATH: process.env.PATH, TERM: 'xterm' }

test('CRM_PAGER takes precedence over PAGER, and less is used if installed', async () => {
  expect(pagerCommand({ ...env, CRM_PAGER: 'most -s', PAGER: 'more' })).toBe('most -s')
  expect(pagerCommand({ ...env, PAGER: 'more' })).toBe('more')
  expect(pagerCommand({ ...env, PATH: await tempFolder() })).toBeUndefined()
})

test.each([
  { CRM_PAGER: '' },
  { CRM_PAGER: ' ' },
  { CRM_PAGER: 'cat', PAGER: 'more' },
  { PAGER: '' },
  { TERM: 'dumb' },
  { TERM: '' },
])('%j is no pager', (added) => {
  expect(pagerCommand({ ...env, PAGER: 'more', ...added })).toBeUndefined()
})

test('the pager is run by the shell, and receives all the text and no key', async () => {
  const folder = await tempFolder()
  const command = `cat > '${folder}/text'; env > '${folder}/env'`
  const pager = openPager(command, { ...env, CRM_API_KEY: 'crm_key_secret' }, terminal)
  expect(pager.stdout).toMatchObject({ isTTY: true, columns: 72 })
  const page = 'row\n'.repeat(50_000)
  for (let pages = 0; pages < 5; pages++) await writeText(pager.stdout, page)
  await pager.close()
  expect(readFileSync(join(folder, 'text'), 'utf8')).toBe(page.repeat(5))
  const seen = readFileSync(join(folder, 'env'), 'utf8')
  expect(seen).toContain('LESS=FRXK\n')
  expect(seen).not.toContain('crm_key_secret')
})

test('a write to a pager that was quit throws, also during a wait for drain', async () => {
  const pager = openPager('head -c 1 > /dev/null', env, terminal)
  const page = 'x'.repeat(1_000_000)
  const writing = async () => {
    for (;;) await writeText(pager.stdout, page)
  }
  await expect(writing()).rejects.toThrow(PagerClosed)
  await pager.close()
})

test('a pager that cannot be run is an error that names it; without a write it is never started', async () => {
  const pager = openPager('no-such-pager 2> /dev/null', env, terminal)
  await pager.close()
  pager.stdout.write('x')
  await expect(pager.close()).rejects.toMatchObject({
    code: 'machine',
    message: expect.stringContaining('no-such-pager'),
  })
})
