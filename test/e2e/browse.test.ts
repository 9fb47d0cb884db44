import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { type Env, emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import type { Service } from '../harness/service.ts'
import { CRM, crm, startCrm } from './crm.ts'
import { startService } from './service.ts'
import { test } from './shared-service.ts'
import { HAS_TMUX, openShell, openTerminal, type Terminal } from './terminal.ts'

const WIDE = { columns: 120, rows: 40 }

async function serviceWith(records: readonly Record<string, unknown>[]): Promise<Service> {
  const service = await startService()
  await make(service, '/v1/contacts', records)
  return service
}

async function browse(env: Env, size = WIDE, ...args: string[]): Promise<Terminal> {
  const terminal = openTerminal(['browse', ...args], env, size)
  await terminal.sees('? help')
  return terminal
}

/** The process of crm itself: the shell of the terminal is its parent. */
function crmPid(terminal: Terminal): number {
  return Number(spawnSync('pgrep', ['-P', String(terminal.pid())], { encoding: 'utf8' }).stdout.split('\n')[0])
}

test('a screen that is none is refused with those that are', async ({ service }) => {
  const { exit, stderr } = await crm(['browse', 'kontakte'], service.env)
  expect(exit).toBe(2)
  expect(stderr).toContain('there is no screen "kontakte", expected home, contacts, deals,')
  expect(stderr).toContain('crm objects')
})

test('without a terminal it says so, names a command that does without, and exits 2', async ({ service }) => {
  const { exit, stderr } = await crm(['browse', 'deals'], service.env)
  expect(exit).toBe(2)
  expect(stderr).toBe('crm: crm browse needs a terminal, but stdout is not one\n  crm deals list\n')
})

test.for([
  [['browse', 'deals', '--plain'], {}, 'crm deals list'],
  [['browse', '--plain'], {}, 'crm contacts list'],
  [['browse', 'jobs'], { TERM: 'dumb' }, 'crm jobs list'],
  [['browse', 'companies'], { INK_SCREEN_READER: 'true' }, 'crm companies list'],
] as const)('%j with %j names the command that prints lines', async ([words, env, instead], { service }) => {
  const { exit, stderr } = await crm([...words], { ...service.env, ...env })
  expect(exit).toBe(2)
  expect(stderr).toMatch(new RegExp(`draws screens and prints no lines: .*\n  ${instead}\n$`))
})

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('finds by part of a name, changes the phone, and the server has it', async () => {
    const service = await serviceWith([{ name: 'Ada Lovelace' }, { name: 'Grace Hopper' }])
    const terminal = await browse(service.env)
    await terminal.sees('Grace Hopper')
    terminal.type('/lovel')
    expect(await terminal.sees(/1-1 of 1/)).not.toContain('Grace')
    terminal.press('Enter')
    terminal.type('e')
    await terminal.sees('Edit Ada Lovelace')
    terminal.press('Down', 'Down')
    terminal.type('+49 30 1')
    terminal.press('C-s')
    await terminal.sees('Saved Ada Lovelace')
    expect(await all(service, '/v1/contacts')).toContainEqual(
      expect.objectContaining({ name: 'Ada Lovelace', phone: '+49 30 1' }),
    )
    terminal.type('u')
    await terminal.sees('phone: +49 30 1 -> (none)')
    terminal.type('y')
    await terminal.sees('Undone: the change of')
    expect((await all(service, '/v1/contacts')).every(({ phone }) => (phone ?? null) === null)).toBe(true)
  })

  test('a list on loopback shows what another client changed, by itself, and the cursor stays', async () => {
    const service = await serviceWith([{ name: 'Ada Lovelace' }, { name: 'Grace Hopper' }])
    const terminal = await browse(service.env)
    await terminal.sees('Grace Hopper')
    terminal.type('j')
    const [, second] = await all(service, '/v1/contacts')
    await terminal.sees(new RegExp(`❯.*${second?.name}`))
    await crm(['contacts', 'update', String(second?.id), '--set', 'company=Followed'], service.env)
    await make(service, '/v1/contacts', [{ name: 'Newcomer' }])
    await expect.poll(() => terminal.screen(), { timeout: 25_000, interval: 100 }).toContain('1 new (r shows)')
    const screen = terminal.screen()
    expect(screen).toMatch(new RegExp(`❯.*${second?.name}.*Followed`))
    expect(screen).not.toContain('Newcomer')
  })

  test('objects of the server are screens: made, changed and found as contacts are', async () => {
    const file = join((await emptyHome()).HOME, 'objects.yaml')
    writeFileSync(
      file,
      'objects: { tickets: { one: ticket, fields: { subject: { required: true }, hours: { type: number } } } }',
    )
    const service = await startService(['--objects', file])
    await make(service, '/v1/companies', [{ name: 'Engines Ltd', domain: 'engines.example' }])
    const terminal = await browse(service.env, WIDE, 'companies')
    await terminal.sees(/\[Companies\].*\n.*\n.*\[NAME\] .*DOMAIN.*\n❯ {2}Engines Ltd +engines\.example/)
    terminal.type('e')
    await terminal.sees('Edit Engines Ltd')
    terminal.type(' & Sons')
    terminal.press('C-s')
    await terminal.sees('❯  Engines Ltd & Sons')
    // An object that nobody told crm about before.
    terminal.type(':tickets')
    terminal.press('Enter')
    await terminal.sees('No tickets yet. n makes one.')
    terminal.type('n')
    await terminal.sees('New ticket')
    terminal.type('Printer burns')
    terminal.press('Tab')
    terminal.type('2.5')
    terminal.press('C-s')
    await terminal.sees(/\[SUBJECT\] +HOURS.*\n❯ {2}Printer burns +2\.5/)
    terminal.type('q')
    await terminal.sees('exit=0')
    expect(await all(service, '/v1/tickets')).toMatchObject([{ subject: 'Printer burns', hours: 2.5 }])
    expect(await all(service, '/v1/companies')).toMatchObject([{ name: 'Engines Ltd & Sons' }])
  })

  test('dd, Enter and Esc delete nothing (lazygit#2291, #3471)', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Ada')
    terminal.type('dd')
    await terminal.sees('❯[Cancel]')
    terminal.press('Enter')
    await terminal.sees('? help')
    // The y was typed before the question could be read.
    terminal.type('dy')
    await terminal.sees('❯[Cancel]')
    terminal.press('Escape')
    await terminal.sees('? help')
    terminal.type('q')
    await terminal.sees('exit=0')
    expect(await all(service, '/v1/contacts')).toHaveLength(1)
  })

  test('three people are deleted after their plan, and u names the deletion, asks, and creates them again', async () => {
    const names = ['Keep', 'Test 1', 'Test 2', 'Test 3']
    const service = await serviceWith(names.map((name) => ({ name })))
    const terminal = await browse(service.env)
    await terminal.sees('Test 3')
    terminal.type('   ')
    await terminal.sees('3 marked')
    terminal.type('d')
    await terminal.sees('Send 3 deletions to')
    expect(await all(service, '/v1/contacts')).toHaveLength(4)
    terminal.type('y')
    await terminal.sees('3 deleted')
    const left = async () => (await all(service, '/v1/contacts')).map(({ name }) => name).toSorted()
    expect(await left()).toEqual(['Keep'])
    terminal.type('u')
    await terminal.sees('Undo 3 deletions (contacts) on')
    await terminal.sees('created: Test 1')
    terminal.type('y')
    await expect.poll(left).toEqual(names)
    await terminal.sees('❯  ')
    terminal.type('q')
    await terminal.sees('exit=0')
  })

  test('contacts: edit A, delete B, u twice; neither older change is taken back unasked', async () => {
    const service = await serviceWith([{ name: 'Ann' }, { name: 'Bob' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Bob')
    terminal.type('jeX')
    await terminal.sees('AnnX')
    terminal.press('C-s')
    await terminal.sees('Saved AnnX')
    terminal.type('kd')
    await terminal.sees('Send 1 deletion to')
    terminal.type('y')
    await terminal.sees('Deleted Bob')
    const names = async () => (await all(service, '/v1/contacts')).map(({ name }) => name).toSorted()
    terminal.type('u')
    await terminal.sees('Undo the deletion of Bob')
    expect(await names()).toEqual(['AnnX'])
    terminal.type('y')
    await terminal.sees('1 of 1 done')
    terminal.type('u')
    await terminal.sees('Undo the change of AnnX')
    terminal.press('Enter')
    await terminal.sees('❯  Bob')
    expect(await names()).toEqual(['AnnX', 'Bob'])
    terminal.press('C-r')
    await terminal.sees('Redo the deletion of Bob')
    terminal.type('y')
    await expect.poll(names).toEqual(['AnnX'])
  })

  test('board: >, a note, u: the note is named, and the move stays', async () => {
    const service = await startService()
    await make(service, '/v1/deals', [{ name: 'Engines', stage: 'Lead', pipeline_id: 'sales' }])
    const terminal = await browse(service.env, WIDE, 'pipelines')
    await terminal.sees(/Lead.*Qualified.*Proposal/)
    await terminal.sees('Engines')
    terminal.type('>')
    await terminal.sees('Moved Engines from Lead to Qualified')
    terminal.type('a')
    await terminal.sees('Note for Engines')
    terminal.type('Called')
    terminal.press('Enter')
    await terminal.sees('Added the note to Engines')
    terminal.type('uu')
    await terminal.sees('the note to Engines cannot be taken back, nor can what was changed before it')
    expect(await all(service, '/v1/deals')).toMatchObject([{ stage: 'Qualified' }])
  })

  test('with --mouse a click selects, keys go on after it, and the mouse is off after SIGTERM', async () => {
    const service = await serviceWith([{ name: 'Ada' }, { name: 'Grace' }, { name: 'Hedy' }])
    const terminal = await browse(service.env, WIDE, 'contacts', '--mouse')
    await terminal.sees('❯  Hedy')
    expect(terminal.isMouseOn()).toBe(true)
    terminal.type('\x1b[<0;5;6M\x1b[<0;5;6m')
    await terminal.sees('❯  Ada')
    terminal.type('k')
    await terminal.sees('❯  Grace')
    process.kill(crmPid(terminal), 'SIGTERM')
    await terminal.sees('exit=143')
    expect(terminal.isMouseOn()).toBe(false)
  })

  test('more than twenty need the count typed out', async () => {
    const service = await serviceWith(Array.from({ length: 21 }, (_, at) => ({ name: `Test ${at}` })))
    const terminal = await browse(service.env)
    await terminal.sees('Test 20')
    terminal.type('Ad')
    await terminal.sees('Type 21 and Enter')
    terminal.type('y')
    terminal.press('Enter')
    terminal.type('d')
    await terminal.sees('yd')
    terminal.press('Escape')
    terminal.type('q')
    await terminal.sees('exit=0')
    expect(await all(service, '/v1/contacts')).toHaveLength(21)
  })

  test('a refusal of the server is shown in the form, which keeps its input', async ({ service }) => {
    const terminal = await browse(service.env, WIDE, 'deals')
    terminal.type('n')
    await terminal.sees('New deal')
    terminal.type('Engines')
    terminal.press('Down', 'Down')
    terminal.type('Nowhere')
    terminal.press('C-s')
    const screen = await terminal.sees(/stage.*! .*stage/s)
    expect(screen).toContain('Engines')
    expect(screen).toContain('Nowhere')
  })

  test('bulk edits are marked, shown as a plan, and sent after it', async () => {
    const service = await serviceWith([{ name: 'A' }, { name: 'B' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  B')
    terminal.type('Ab')
    await terminal.sees('Change in 2 rows')
    terminal.type('company=Acme')
    terminal.press('Enter')
    await terminal.sees('Send 2 updates')
    expect((await all(service, '/v1/contacts')).every(({ company }) => company !== 'Acme')).toBe(true)
    terminal.type('y')
    await terminal.sees('2 saved')
    expect((await all(service, '/v1/contacts')).map(({ company }) => company)).toEqual(['Acme', 'Acme'])
  })

  test('the board has a column a stage with count and sum, and a deal moves', async () => {
    const service = await startService()
    await make(service, '/v1/deals', [{ name: 'Engines', stage: 'Lead', amount: 1200.5 }])
    const terminal = await browse(service.env, WIDE, 'pipelines')
    await terminal.sees(/Lead.*Qualified.*Proposal/)
    await terminal.sees('1 · 1.2K · 100 %')
    terminal.type('m')
    await terminal.sees('Move Engines to')
    terminal.press('Down', 'Enter')
    await terminal.sees('Moved Engines from')
    expect(await all(service, '/v1/deals')).toMatchObject([{ stage: 'Qualified' }])
  })

  test('5 KB pasted into the filter is text, and no key of the screen', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Ada')
    terminal.type('/')
    await terminal.sees('Find:')
    terminal.paste(`${'dy\n'.repeat(1700)}end`)
    await terminal.sees(/dy end/)
    terminal.press('Escape')
    await terminal.sees('❯  Ada')
    terminal.type('q')
    await terminal.sees('exit=0')
    expect(await all(service, '/v1/contacts')).toHaveLength(1)
  })

  test('hostile text is shown, not obeyed', async () => {
    const service = await serviceWith([{ name: 'a\x1b[2J\x1b]0;title\x07b', company: '\u202Eevil' }])
    const terminal = await browse(service.env)
    await terminal.sees('a\\x1b[2J')
    await terminal.sees('\\u202eevil')
  })

  test('the screen follows a resize, states the size that it needs when it is too small, and recovers', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse(service.env, { columns: 80, rows: 24 })
    terminal.resize(50, 10)
    await terminal.sees('needs 60 columns')
    terminal.resize(200, 60)
    await terminal.sees('CREATED')
    terminal.resize(60, 12)
    // A frame is not there all at once: its first line and the row, in one look.
    await terminal.sees(/^[^\n]*\[1 Contacts\][\s\S]*❯ {2}Ada/)
  })

  test('quit, SIGTERM and SIGHUP restore the terminal', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    for (const [end, exit] of [
      ['q', 'exit=0'],
      ['SIGTERM', 'exit=143'],
      ['SIGHUP', 'exit=130'],
    ] as const) {
      const terminal = await browse(service.env)
      expect(terminal.isOnAlternateScreen()).toBe(true)
      if (end === 'q') terminal.type('q')
      else process.kill(crmPid(terminal), end)
      await terminal.sees(exit)
      expect([terminal.isOnAlternateScreen(), terminal.isCursorVisible()]).toEqual([false, true])
    }
  })

  test('after a resize and at Ctrl-L the whole screen is drawn, whatever another program wrote on it', async () => {
    const service = await serviceWith([{ name: 'Ada' }, { name: 'Grace' }])
    const terminal = await browse(service.env, { columns: 120, rows: 40 })
    const before = await terminal.sees('❯  Grace')
    terminal.writeOver('\x1b[2J\x1b[3;9Hwall message')
    await terminal.sees(/^ *wall message/m)
    terminal.press('C-l')
    await terminal.sees('❯  Grace')
    expect(terminal.screen()).toBe(before)
    terminal.type('/')
    const asked = await terminal.sees('Find:')
    terminal.writeOver('\x1b[2J\x1b[3;9Hwall message')
    terminal.press('C-l')
    await terminal.sees('❯  Grace')
    expect(terminal.screen()).toBe(asked)
    terminal.press('Escape')
    for (const columns of [118, 119]) {
      terminal.writeOver('\x1b[2J\x1b[3;9Hwall message')
      await terminal.sees(/^ *wall message/m)
      terminal.resize(columns, 40)
      await terminal.sees(
        /^ 0 Home \[1 Contacts\].*\n 1-2 of 2\s*\n {3}\[NAME\].*\n❯ {2}Grace.*\n {3}Ada.*\n{30,} \? help.*\n$/,
      )
    }
  })

  test('Ctrl-Z and fg: the terminal is the shell’s in between, and the screen is back after it', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = openShell(service.env)
    await terminal.sees('shell>')
    terminal.type(`${process.execPath} ${CRM} browse`)
    terminal.press('Enter')
    await terminal.sees('❯  Ada')
    terminal.press('C-z')
    await terminal.sees(/Stopped/)
    expect([terminal.isOnAlternateScreen(), terminal.isCursorVisible()]).toEqual([false, true])
    // The system tells the new size to the shell alone.
    terminal.resize(70, 20)
    terminal.type('fg')
    terminal.press('Enter')
    await terminal.sees('❯  Ada')
    await terminal.sees(/^ 0 \[1 Contacts\]/)
    terminal.type('?')
    await terminal.sees('Keys of Contacts')
  })

  test('Ctrl-Z where no shell can continue it does not end in a dead screen', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Ada')
    terminal.press('C-z')
    terminal.type('?')
    await terminal.sees('Keys of Contacts')
  })

  test('an editor that fails changes nothing, and the screen is restored', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse({ ...service.env, EDITOR: 'false' })
    await terminal.sees('❯  Ada')
    terminal.type('E')
    await terminal.sees('the editor false ended with 1')
    expect(terminal.isOnAlternateScreen()).toBe(true)
    terminal.type('j?')
    await terminal.sees('Keys of Contacts')
  })

  test('the text from the editor is saved', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const editor = join(service.env.HOME, 'editor.sh')
    writeFileSync(editor, '#!/bin/sh\nsed -i s/Ada/Augusta/ "$1"\n')
    chmodSync(editor, 0o700)
    const terminal = await browse({ ...service.env, EDITOR: editor })
    await terminal.sees('❯  Ada')
    terminal.type('E')
    await terminal.sees('Saved Augusta')
    expect(await all(service, '/v1/contacts')).toMatchObject([{ name: 'Augusta' }])
  })

  test('what is typed while an editor starts is its own', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const editor = join(service.env.HOME, 'editor.sh')
    // It reads late: whatever else reads the terminal would have the keys by then.
    const script = `#!/bin/sh\necho opened; sleep 1; read -r typed </dev/tty; sed -i "s/Ada/$typed/" "$1"\n`
    writeFileSync(editor, script, { mode: 0o700 })
    const terminal = await browse({ ...service.env, EDITOR: editor })
    for (const name of ['Augusta', 'Ada', 'Grace']) {
      await terminal.sees('❯  A')
      terminal.type('E')
      await terminal.sees('opened')
      terminal.type(name)
      terminal.press('Enter')
      await terminal.sees(name === 'Ada' ? 'Nothing was changed' : `Saved ${name}`)
      if (name === 'Augusta')
        await crm(
          ['contacts', 'update', String((await all(service, '/v1/contacts'))[0]?.id), '--set', 'name=Ada'],
          service.env,
        )
      if (name === 'Augusta') terminal.type('r')
    }
  })

  test('a deleted record keeps the form and its input', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Ada')
    const [contact] = await all(service, '/v1/contacts')
    expect((await crm(['contacts', 'delete', String(contact?.id), '--yes'], service.env)).exit).toBe(0)
    terminal.type('e')
    await terminal.sees('Edit Ada')
    terminal.type(' Byron')
    terminal.press('C-s')
    await terminal.sees('! ')
    expect(terminal.screen()).toContain('Ada Byron')
  })

  test('a change by someone else is overwritten only after a second confirmation', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse(service.env)
    await terminal.sees('❯  Ada')
    const [contact] = await all(service, '/v1/contacts')
    await crm(['contacts', 'update', String(contact?.id), '--set', 'name=Other'], service.env)
    terminal.type('e')
    await terminal.sees('Edit Ada')
    terminal.type(' Byron')
    terminal.press('C-s')
    await terminal.sees('overwrites that')
    expect(await all(service, '/v1/contacts')).toMatchObject([{ name: 'Other' }])
    terminal.press('C-s')
    await terminal.sees('Saved Ada Byron')
  })

  test('keys stay live while a server that is slow, refuses the key, or fails is asked', async () => {
    const answers: RequestListener[] = [
      () => {},
      (_, response) =>
        void response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"no such key"}'),
      (_, response) => void response.writeHead(500, { 'x-request-id': 'req_7' }).end('{}'),
    ]
    for (const [index, expected] of ['loading …', 'no such key', 'req_7'].entries()) {
      const server = createServer(answers[index]).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const terminal = openTerminal(
        ['browse', '--max-wait', '0s'],
        emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: 'k' }),
        WIDE,
      )
      await terminal.sees(expected)
      terminal.type('?')
      await terminal.sees('Keys of Contacts')
      terminal.press('Escape')
      terminal.type('qq')
      await terminal.sees('exit=0')
    }
  })

  test('events that crm listen keeps are shown; those that come later are counted, and move no row', async () => {
    const service = await startService()
    const listening = startCrm(['listen', '--port', '0', '--subscribe', '-o', 'jsonl'], service.env)
    onTestFinished(() => void listening.kill('SIGKILL'))
    await once(listening.stdout, 'data')
    const [first] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = await browse(service.env, WIDE, 'events')
    await terminal.sees(new RegExp(`❯.*contact.created.*${first}.*verified`))
    await make(service, '/v1/contacts', [{ name: 'Grace' }])
    expect(await terminal.sees('1 new (r shows)')).toMatch(new RegExp(`❯.*${first}`))
    terminal.type('r')
    expect(await terminal.sees('1-2 of 2')).toMatch(new RegExp(`❯.*${first}`))
  })

  test('NO_COLOR is obeyed, and the selected row still says that it is', async () => {
    const service = await serviceWith([{ name: 'Ada' }])
    const terminal = await browse({ ...service.env, NO_COLOR: '1' })
    await terminal.sees('❯  Ada')
  })
})
