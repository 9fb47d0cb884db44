import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { all, make } from '../harness/records.ts'
import { crmPrints, startCrm } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const WIDE = { columns: 140, rows: 24 }

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('Jobs follows a job of another process each second, with share, rate, time left and unchanged rows', async () => {
    const service = await startService(['--rate-limit', '10/1s'])
    await make(service, '/v1/contacts', [{ name: 'Row 0', email: 'row0@example.com' }])
    const file = join(service.env.HOME, 'people.csv')
    const rows = Array.from({ length: 60 }, (_, at) => `Row ${at},row${at}@example.com`)
    writeFileSync(file, `name,email\n${rows.join('\n')}\n`)
    const terminal = openTerminal(['browse', 'jobs'], service.env, WIDE)
    await terminal.sees('No jobs')
    const running = startCrm(['contacts', 'import', file, '--match', 'email', '--yes'], service.env)
    onTestFinished(() => void running.kill())
    running.stdout.resume()
    running.stdin.end()
    await terminal.sees('job_')
    const state = /running (\d+) % [\d.]+\/s \d+ s left +(\d+) +(\d+) +(\d+) /
    const [, share, done, unchanged, count] = state.exec(await terminal.sees(state)) ?? []
    expect([unchanged, count]).toEqual(['1', '60'])
    await expect
      .poll(() => Number(state.exec(terminal.screen())?.[1]), { timeout: 5_000 })
      .toBeGreaterThan(Number(share))
    expect(Number(done)).toBeLessThan(59)
    expect((await running.done).exit).toBe(0)
    await terminal.sees(/finished +59 +1 +60 +0 /)
  })

  test('u on Jobs shows what the undo of a job would change, and takes it back', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [
      { name: 'Ada', company: 'Acme' },
      { name: 'Grace', company: 'Navy' },
    ])
    await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=BULK', '--yes'], service.env)
    const terminal = openTerminal(['browse', 'jobs'], service.env, WIDE)
    await terminal.sees(/❯ {2}job_\w+ +finished +2 /)
    terminal.type('u')
    const screen = await terminal.sees('Undo job_')
    expect(screen).toMatch(/Undo job_\w+ on /)
    expect(screen).toContain('company: BULK -> Acme')
    expect(screen).toContain('company: BULK -> Navy')
    // The key that asked takes nothing back, and Cancel is chosen.
    terminal.type('u')
    terminal.press('Enter')
    await expect.poll(() => terminal.screen()).not.toContain('Undo job_')
    expect((await all(service, '/v1/contacts')).map(({ company }) => company)).toEqual(['BULK', 'BULK'])
    terminal.type('u')
    await terminal.sees('Undo job_')
    terminal.type('y')
    await expect
      .poll(async () => (await all(service, '/v1/contacts')).map(({ company }) => company).toSorted())
      .toEqual(['Acme', 'Navy'])
    await terminal.sees(/finished +2 +0 +2 +0 [^\n]*\n[^\n]*finished +2 +0 +2 /)
  })

  test('a shows the jobs of other servers on Jobs too, with their server', async () => {
    const [other, service] = [await startService(), await startService()]
    await make(other, '/v1/contacts', [{ name: 'Ada', company: 'Acme' }])
    const env = { ...service.env, CRM_BASE_URL: other.url, CRM_API_KEY: other.key }
    await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=BULK', '--yes'], env)
    const terminal = openTerminal(['browse', 'jobs'], service.env, WIDE)
    expect(await terminal.sees('No jobs')).not.toContain('finished')
    terminal.type('O')
    await terminal.sees(/finished .*update contacts at http/)
    terminal.press('Enter')
    await terminal.sees(other.url)
  })
})
