import { describe, expect } from 'vitest'
import { textWidth } from '../../src/output/terminal-text.ts'
import { newDatabase } from '../harness/database.ts'
import { make } from '../harness/records.ts'
import { countRequests } from '../harness/request-counter.ts'
import { testWithService } from '../harness/shared-service.ts'
import { fillWithContacts } from './contact-store.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const test = testWithService(async (cleanUp) => {
  const database = await newDatabase(cleanUp)
  await fillWithContacts(database, 30_000)
  return startService(['--database', database, '--rate-limit', 'none'], cleanUp)
})

const LIST = ['contacts', 'list', '--fields', 'id,name']

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('a long list is paged; leaving the pager ends the paging with exit 0', async ({ service }) => {
    const { url, requests } = await countRequests(service.url)
    const terminal = openTerminal(LIST, { ...service.env, CRM_BASE_URL: url, PAGER: 'less' })
    await terminal.sees(/^:/m)
    expect(terminal.screen()).toMatch(/^ID +NAME\n/)
    terminal.type('q')
    expect(await terminal.sees(/exit=\d+/)).toContain('exit=0')
    expect(requests.length).toBeLessThan(100)
  })

  test('Ctrl-C ends the pager too, and is 130', async ({ service }) => {
    const terminal = openTerminal(LIST, { ...service.env, PAGER: 'less' })
    await terminal.sees(/^:/m)
    terminal.press('C-c')
    expect(await terminal.sees(/exit=\d+/)).toContain('exit=130')
  })

  test('a pager that is not a command is named, with a hint', async ({ service }) => {
    const terminal = openTerminal([...LIST, '--limit', '3'], { ...service.env, CRM_PAGER: 'no-such-pager' })
    const screen = await terminal.sees(/exit=\d+/)
    expect(screen).toContain('cannot run the pager "no-such-pager"')
    expect(screen).toContain('exit=13')
  })

  for (const [args, added] of [
    [['--no-pager'], { PAGER: 'no-such-pager' }],
    [[], { CRM_PAGER: '', PAGER: 'no-such-pager' }],
    [[], { CRM_PAGER: 'cat', PAGER: 'no-such-pager' }],
  ] as const) {
    test(`there is no pager with ${[...args, JSON.stringify(added)].join(' ')}`, async ({ service }) => {
      const terminal = openTerminal([...LIST, '--limit', '3', ...args], { ...service.env, ...added })
      expect(await terminal.sees(/exit=\d+/)).toContain('exit=0')
    })
  }

  test('hostile names change neither the columns of a table nor the terminal', async () => {
    const service = await startService()
    const names = [
      '\x1b[2J\x1b[31m\x1b]0;owned\x07',
      '\u202etxt.exe\u2066',
      '👩‍💻 🇩🇪 👨‍👩‍👧‍👦',
      '日本語の名前',
      'e\u0301a\u0308\u0323',
      'x'.repeat(10_000),
      'two\nlines\r\ttab',
      '\x9b2J\x90\x07',
      'plain',
    ]
    await make(
      service,
      '/v1/contacts',
      names.map((name) => ({ name, company: '|' })),
    )
    const fields = ['contacts', 'list', '--fields', 'company,name,version', '--color', 'always']
    const terminal = openTerminal(fields, { ...service.env, LANG: 'C.UTF-8' })
    const lines = (await terminal.sees(/exit=0/)).split('\n')
    const rows = lines.filter((line) => line.startsWith('|'))
    expect(rows).toHaveLength(names.length)
    expect(lines[0]).toMatch(/^COMPANY +NAME +VERSION$/)
    expect(new Set(rows.map(textWidth)), lines.join('\n')).toEqual(new Set([80]))
  })
})
