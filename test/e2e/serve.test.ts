import { spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { memoryDatabase, newDatabase } from '../harness/database.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { all, ask } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { pastPrism, serve, startService } from '../harness/service.ts'
import { crm as builtCrm } from './crm.ts'

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

describe('the first start', () => {
  test('makes a key under the profile local, says so, makes it active, and the next command works', async () => {
    const home = emptyHome()
    const { said, url } = await serve([], home)
    const keys = join(home.HOME, '.config/crm/keys.json')
    expect(said()).toContain(`kept it under profile local (${keys})`)
    expect(said()).not.toMatch(/crm_key_/)
    expect(await crm(['contacts', 'list'], home)).toEqual({ exit: 0, stdout: '', stderr: 'No contacts.\n' })
    const status = JSON.parse(await crmPrints(['auth', 'status', '-o', 'json'], home))
    expect(status).toMatchObject({ profile: 'local', bound_to: url, source: 'file', accepted: true })
    expect(modeOf(keys)).toBe('600')
    expect(modeOf(join(home.HOME, '.config/crm'))).toBe('700')
    expect(modeOf(join(home.HOME, '.local/share/crm/crm.db'))).toBe('600')
  })

  test('prints one line of JSON on stdout with --ready-json', async () => {
    const database = await newDatabase()
    const service = await serve(['--database', database], emptyHome())
    expect(service).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), database })
  })

  test('leaves the active profile active, and a profile local of another origin unchanged', async () => {
    const home = emptyHome()
    const other = 'https://crm.example.test'
    await crmPrints(['config', 'set', 'base_url', other, '-p', 'local'], home)
    await crmPrints(['config', 'set', 'base_url', other, '-p', 'prod'], home)
    await crmPrints(['auth', 'switch', 'prod'], home)
    const { said } = await serve([], home)
    expect(said()).toMatch(/No key was made, because profile local belongs to another origin.*crm serve keys create/)
    expect(await crmPrints(['config', 'get', 'base_url', '-p', 'local'], home)).toBe(`${other}\n`)

    await serve(['-p', 'here', '--database', await newDatabase()], home)
    expect((await crm(['contacts', 'list', '-p', 'here'], home)).exit).toBe(0)
    expect(await crmPrints(['config', 'get', 'base_url'], home)).toBe(`${other}\n`)
  })
})

describe('another start', () => {
  test('opens the same database with the same key, and makes none', async () => {
    const home = emptyHome()
    const first = await serve([], home)
    await crmPrints(['contacts', 'create', '--set', 'name=Ada'], home)
    expect(await first.stop()).toBe(0)
    const second = await serve(['--port', new URL(first.url).port], home)
    expect(second.said()).not.toMatch(/key/i)
    expect(await crmPrints(['contacts', 'list', '-o', 'jsonl', '--fields', 'name'], home)).toBe('{"name":"Ada"}\n')
  })

  test('is named with its database where it was stopped, and on another database says that it is another', async () => {
    const home = emptyHome()
    const database = join(tempFolder(), 'my crm.db')
    const first = await serve(['--database', database], home)
    const { port } = new URL(first.url)
    await crmPrints(['contacts', 'create', '--set', 'name=Ada'], home)
    await first.stop()
    const stopped = await crm(['contacts', 'list'], home)
    expect(stopped.exit).toBe(9)
    expect(stopped.stderr).toContain(`crm serve --database '${database}' --port ${port}\n`)
    expect((await crm(['doctor'], home)).stderr).toContain(`crm serve --database '${database}' --port ${port}\n`)

    const other = await serve(['--port', port], home)
    expect(other.said()).toContain(
      `Warning: profile local used the database ${database}, and now uses ${other.database}`,
    )
    expect(other.said()).toContain(`to go back: crm serve --database '${database}'`)
    await other.stop()

    const back = await serve(['--port', port, '--database', database], home)
    expect(await crmPrints(['contacts', 'list', '-o', 'jsonl', '--fields', 'name'], home)).toBe('{"name":"Ada"}\n')
    await back.stop()
    expect((await serve(['--port', port, '--database', database], home)).said()).not.toContain('Warning')
  })

  test('at the same origin on another database takes the stored key over', async () => {
    const home = emptyHome()
    const first = await serve([], home)
    const key = await crmPrints(['auth', 'token'], home)
    await first.stop()
    const second = await serve(['--port', new URL(first.url).port, '--database', await memoryDatabase()], home)
    expect(second.said()).toContain('The service also accepts the key of profile local.')
    expect(await crmPrints(['auth', 'token'], home)).toBe(key)
    expect((await crm(['contacts', 'list'], home)).exit).toBe(0)
  })
})

describe('the end', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`by ${signal} is exit 0, and everything is kept`, async () => {
      const database = await newDatabase()
      const service = await startService(['--database', database])
      await ask(service, { method: 'POST', path: '/v1/contacts', body: { name: 'Ada' } })
      expect(await service.stop(signal)).toBe(0)
      expect(service.said()).toMatch(/crm serve has stopped\.\n$/)
      const again = await serve(['--database', database], emptyHome())
      expect(await all({ ...service, url: again.url }, '/v1/contacts')).toMatchObject([{ name: 'Ada' }])
    })
  }

  test('by SIGKILL amid writes loses nothing that was acknowledged', async () => {
    const database = await newDatabase()
    const service = pastPrism(await startService(['--database', database]))
    const acknowledged: string[] = []
    const write = async (n: number) => {
      const answer = await ask(service, { method: 'POST', path: '/v1/contacts', body: { n } })
      acknowledged.push(String(answer.body.id))
      if (acknowledged.length === 60) await service.stop('SIGKILL')
    }
    await Promise.allSettled(Array.from({ length: 200 }, (_, n) => write(n)))
    const again = await serve(['--database', database], emptyHome())
    const ids = (await all({ ...service, url: again.url }, '/v1/contacts')).map(({ id }) => id)
    expect(acknowledged.length).toBeGreaterThanOrEqual(60)
    expect(ids).toEqual(expect.arrayContaining(acknowledged))
  })
})

describe('serve keys, while it runs', () => {
  test('create, list, revoke: scopes hold, expiry holds, and a revoked key ends at once', async () => {
    const database = await newDatabase()
    const service = await startService(['--database', database])
    const keys = (...args: string[]) =>
      crmPrints(['serve', 'keys', ...args, '--database', database, '-o', 'json'], service.env).then((text) =>
        JSON.parse(text || 'null'),
      )
    const [made, short] = [
      await keys('create', '--name', 'reports', '--scopes', 'read'),
      await keys('create', '--name', 'short', '--expires-in', '1ms'),
    ]
    const statusOf = async (key: string, method = 'GET') =>
      (
        await ask(
          { url: service.url, key },
          { method, path: '/v1/contacts', ...(method === 'POST' && { body: { a: 1 } }) },
        )
      ).status
    expect(made).toMatchObject({ name: 'reports', scopes: ['read'], state: 'live' })
    expect([await statusOf(made.key), await statusOf(made.key, 'POST'), await statusOf(short.key)]).toEqual([
      200, 403, 401,
    ])

    expect(await crm(['serve', 'keys', 'revoke', made.id, '--database', database], service.env)).toMatchObject({
      exit: 0,
      stdout: '',
    })
    expect(await statusOf(made.key)).toBe(401)
    const listed = await keys('list')
    const states = Object.fromEntries(listed.map(({ name, state }: Record<string, string>) => [name, state]))
    expect(states).toEqual({ first: 'live', reports: 'revoked', short: 'expired' })
    expect(JSON.stringify(listed)).not.toContain(made.key)
    for (const command of [
      ['rotate', 'key_nope'],
      ['revoke', 'key_nope'],
      ['audit', '--key', 'key_nope'],
    ]) {
      await expectRefusal(
        { args: ['serve', 'keys', ...command, '--database', database], env: service.env },
        {
          exit: 6,
          code: 'not_found',
          what: /no key "key_nope"/,
          next: new RegExp(`keys list --database ${database}$`),
        },
      )
    }
  })
})

describe('a partner', () => {
  test('has a rate of its own, a successor with the same one, and what it did is in the audit', async () => {
    const database = await newDatabase()
    const service = await startService(['--database', database, '--rate-limit', '5/10s'])
    const keys = async (...args: string[]) =>
      JSON.parse(
        (await crmPrints(['serve', 'keys', ...args, '--database', database, '-o', 'json'], service.env)) || 'null',
      )
    const partner = await keys('create', '--name', 'partner', '--rate', '10000/10s')
    expect(partner).toMatchObject({ rate: '10000/10s', last_used_at: null })
    const next = await keys('rotate', partner.id, '--overlap', '1h')
    expect(next).toMatchObject({ name: 'partner', rate: '10000/10s' })
    for (const { key } of [partner, next]) {
      const { headers } = await ask(
        { url: service.url, key },
        { method: 'POST', path: '/v1/contacts', body: { by: key.slice(-4) } },
      )
      expect(headers.get('ratelimit-policy')).toBe('"default";q=10000;w=10')
    }
    await service.stop()
    const listed = await keys('list')
    expect(listed.map(({ rate }: { rate: unknown }) => rate)).toEqual([null, '10000/10s', '10000/10s'])
    expect(listed[1].last_used_at).toMatch(/^20/)
    const [use, ...others] = await keys('audit', '--key', next.id)
    expect(others).toEqual([])
    expect(use).toMatchObject({ key_name: 'partner', action: 'POST /v1/contacts', count: 1, refused: 0 })
    expect(use.last_address).toBe('127.0.0.1')
    expect(await keys('audit')).toHaveLength(2)
  })
})

describe('--pipelines', () => {
  const pipeline = { id: 'support', name: 'Support', stages: [{ name: 'New' }, { name: 'Done', probability: 1 }] }
  const yaml = 'pipelines:\n  - id: support\n    name: Support\n    stages: [{ name: New }, { name: Done }]\n'
  const FILES = { 'pipelines.json': JSON.stringify({ pipelines: [pipeline] }), 'pipelines.yaml': yaml }
  for (const [name, content] of Object.entries(FILES)) {
    test(`takes stages from ${name}, and deals stand in them`, async () => {
      const file = join(tempFolder(), name)
      writeFileSync(file, content)
      const { env } = await startService(['--pipelines', file])
      const names = await crmPrints(['pipelines', 'stages', 'support', '-o', 'jsonl', '--fields', 'name'], env)
      expect(names).toBe('{"name":"New"}\n{"name":"Done"}\n')
      const deal = ['deals', 'create', '--set', 'name=x', '--set', 'pipeline_id=support', '--set', 'stage=New']
      expect((await crm(deal, env)).exit).toBe(0)
    })
  }
})

describe.skipIf(spawnSync('openssl', ['version']).error)('https (skipped where openssl is not installed)', () => {
  async function startWithCertificate() {
    const folder = tempFolder()
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
    const files = ['-nodes', '-keyout', key, '-out', cert]
    const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject])
    expect(made.status).toBe(0)
    return { ...(await startService(['--tls-cert', cert, '--tls-key', key])), cert }
  }

  test('a client that does not trust the certificate is 9 and says so', async () => {
    const { url, env } = await startWithCertificate()
    expect(url).toMatch(/^https:/)
    const { exit, stdout, stderr } = await crm(['contacts', 'list', '--max-wait', '0s'], env)
    expect({ exit, stdout }).toEqual({ exit: 9, stdout: '' })
    expect(stderr).toMatch(/^crm: .*certificate.*\n {2}\S.*\n$/)
  })

  for (const variable of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) {
    test(`a client that ${variable} tells of the certificate gets in`, async () => {
      const { env, cert } = await startWithCertificate()
      const { exit, stderr } = await builtCrm(['contacts', 'list', '--max-wait', '0s'], { ...env, [variable]: cert })
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'No contacts.\n' })
    })
  }
})
