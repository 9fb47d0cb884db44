import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { countRequests } from '../harness/request-counter.ts'
import type { Service } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'
import { crmPrints as builtCrmPrints, startCrm } from './crm.ts'
import { loadedBy } from './loaded-modules.ts'

/** A home with an active profile `here`, whose key is stored. */
async function homeWithProfile({ url, key }: Pick<Service, 'url' | 'key'>): Promise<Env & { readonly HOME: string }> {
  const home = emptyHome()
  const args = ['auth', 'login', '--base-url', url, '-p', 'here', '--storage', 'file', '--key-stdin']
  await crmPrints(args, home, key)
  return home
}

async function words(env: Env, ...typed: string[]): Promise<readonly string[]> {
  const lines = (await builtCrmPrints(['__complete', 'fish', ...typed], env)).split('\n').slice(1, -1)
  return lines.map((line) => line.split('\t')[0] ?? '')
}

const knownFile = ({ HOME }: { readonly HOME: string }) => join(HOME, '.local/state/crm/completion/here.json')

describe('crm completion', () => {
  test('without a shell says how to install each; an unknown one is exit 2', async () => {
    const said = await crmPrints(['completion'], emptyHome())
    for (const shell of ['bash', 'zsh', 'fish']) expect(said).toContain(`crm completion ${shell}`)
    expect(await crm(['completion', 'tcsh'], emptyHome())).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('bash'),
    })
  })

  test('prints a script, and writes nothing', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const home = emptyHome()
      expect(await crmPrints(['completion', shell], home)).toContain(`crm __complete ${shell}`)
      expect(readdirSync(home.HOME)).toEqual([])
    }
  })
})

describe('at a Tab', () => {
  test('neither the program is loaded nor commander, the client, or what writes settings', async () => {
    const home = emptyHome()
    writeFileSync(join(home.HOME, 'x'), '')
    const { exit, parts } = await loadedBy(['__complete', 'fish', 'contacts', 'get', ''], home)
    expect(exit).toBe(0)
    expect(parts.filter((part) => !part.startsWith('src/'))).toEqual([])
    for (const part of ['src/program.ts', 'src/commands', 'src/api']) expect(parts).not.toContain(part)
  })

  test('without a profile nothing is written, whatever is listed', async ({ service }) => {
    const home = { ...emptyHome(), CRM_BASE_URL: service.url, CRM_API_KEY: service.key }
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    expect(await words(home, 'contacts', 'get', '')).toEqual([])
    await crmPrints(['contacts', 'list'], home)
    expect(readdirSync(home.HOME)).toEqual([])
  })

  test('completion offers ids that were listed, created and read, not deleted ones, and only the user can read its file', async ({
    service,
  }) => {
    const home = await homeWithProfile(service)
    const [first] = await make(service, '/v1/contacts', [{ name: 'Ada', tier: 'gold' }])
    await crmPrints(['contacts', 'list'], home)
    // Before the first Tab nothing is kept.
    expect(existsSync(join(home.HOME, '.local'))).toBe(false)
    expect(await words(home, 'contacts', 'get', '')).toEqual([])
    await crmPrints(['contacts', 'list'], home)
    expect(await words(home, 'contacts', 'get', '')).toContain(first)
    expect(await words(home, 'contacts', 'list', '--fields', '')).toContain('tier')
    expect(statSync(knownFile(home)).mode & 0o777).toBe(0o600)
    expect(statSync(join(home.HOME, '.local/state/crm/completion')).mode & 0o777).toBe(0o700)

    const made = (await crmPrints(['contacts', 'create', '--set', 'name=Grace', '-o', 'id', '-q'], home)).trim()
    expect((await words(home, 'contacts', 'get', ''))[0]).toBe(made)
    await crmPrints(['contacts', 'get', first ?? ''], home)
    expect((await words(home, 'contacts', 'get', ''))[0]).toBe(first)
    await crmPrints(['contacts', 'delete', made, '--yes'], home)
    expect(await words(home, 'contacts', 'get', '')).not.toContain(made)
    expect(readFileSync(knownFile(home), 'utf8')).not.toContain(service.key)
  })

  test('stages are known from a list of them', async ({ service }) => {
    const home = await homeWithProfile(service)
    await words(home, '')
    await crmPrints(['pipelines', 'stages', 'sales'], home)
    expect(await words(home, 'deals', 'create', '--set', 'stage=')).toContain('stage=Won')
  })

  test('no request is sent, and a server that is gone is not noticed', async ({ service }) => {
    const counter = await countRequests(service.url)
    const home = await homeWithProfile({ url: counter.url, key: service.key })
    const before = counter.requests.length
    for (const typed of [
      ['contacts', 'get', ''],
      ['-p', ''],
      ['deals', 'create', '--set', 'stage='],
    ]) {
      await words(home, ...typed)
    }
    expect(counter.requests).toHaveLength(before)
    expect(await words(home, 'auth', 'switch', '')).toEqual(['here'])
  })

  test('completions of one server are not offered for another', async ({ service }) => {
    const home = await homeWithProfile(service)
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    await words(home, '')
    await crmPrints(['contacts', 'list'], home)
    expect(await words(home, 'contacts', 'get', '')).not.toEqual([])
    const elsewhere = { ...home, CRM_BASE_URL: 'http://127.0.0.1:9' }
    expect(await words(elsewhere, 'contacts', 'get', '')).toEqual([])
    expect(await words(home, '-p', 'other', 'contacts', 'get', '').catch(() => 'refused')).toBe('refused')
  })

  test('a logout forgets the names as well', async ({ service }) => {
    const home = await homeWithProfile(service)
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    await words(home, '')
    await crmPrints(['contacts', 'list'], home)
    expect(existsSync(knownFile(home))).toBe(true)
    await crmPrints(['auth', 'logout'], home)
    expect(existsSync(knownFile(home))).toBe(false)
  })

  test('a folder without write permission, or a damaged file, disturbs no command', async ({ service }) => {
    const home = await homeWithProfile(service)
    await words(home, '')
    writeFileSync(knownFile(home), '{"base_url":', { mode: 0o600 })
    expect(await words(home, 'contacts', 'get', '')).toEqual([])
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    expect((await crm(['contacts', 'list'], home)).exit).toBe(0)
    expect(await words(home, 'contacts', 'get', '')).not.toEqual([])
    const noState = { ...home, CRM_STATE_HOME: '/dev/null/state' }
    expect(await words(noState, 'contacts', 'get', '')).toEqual([])
    expect(await crm(['contacts', 'list'], noState)).toMatchObject({ exit: 0, stderr: '' })
    expect((await crm(['auth', 'logout'], noState)).exit).toBe(0)
  })

  test('a reader that went away is success', async () => {
    const child = startCrm(['__complete', 'fish', ''], { ...emptyHome(), TMPDIR: tempFolder() })
    child.stdout.destroy()
    expect(await child.done).toEqual({ exit: 0, stderr: '' })
  })
})
