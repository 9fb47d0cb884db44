import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { Contact } from './judge.ts'
import { csvOf, type Row } from './source.ts'

const PAGE = new URL('../../docs/nightly.md', import.meta.url)

/** In a mount namespace of its own, so that nothing of it is seen or left. */
export const CAN_MOUNT = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'disk', tmpdir()]).status === 0

/** The line of the page, as cron has it, for a night folder of its own. */
function cronLine(folder: string): string {
  const [, line] = /^15 2 \* \* \* (.*)$/m.exec(readFileSync(PAGE, 'utf8')) ?? []
  if (!line?.includes('cd /srv/night ')) throw new Error('docs/nightly.md has no line for a crontab in /srv/night')
  return line.replace('/srv/night', folder)
}

interface RunOptions {
  readonly line?: (line: string) => string
  /** Asked again and again while it runs. */
  readonly killWhen?: () => Promise<boolean>
  readonly isDiskFull?: boolean
}

/** A machine with cron and a night folder, and a service beside it. */
export async function makeMachine(crm: string) {
  const folder = mkdtempSync(join(tmpdir(), 'crm-nights-'))
  const [home, night] = [join(folder, 'home'), join(folder, 'night')]
  const [bin, serverHome] = [join(folder, 'bin'), join(folder, 'server')]
  const state = join(home, '.local/state/crm')
  for (const path of [state, night, bin, serverHome]) mkdirSync(path, { recursive: true })
  const pidFile = join(folder, 'pid')
  const words = [process.execPath, crm].map((word) => `'${word}'`).join(' ')
  writeFileSync(join(bin, 'crm'), `#!/bin/sh\necho $$ > '${pidFile}'\nexec ${words} "$@"\n`, { mode: 0o700 })
  writeFileSync(join(night, 'notify.sh'), 'cat >> alerts\n')
  // What cron sets, and nothing else.
  const env = { HOME: home, LOGNAME: 'night', SHELL: '/bin/sh', PATH: `${bin}:/usr/bin:/bin` }
  const database = join(folder, 'crm.db')
  const serverEnv = { HOME: serverHome, PATH: process.env.PATH ?? '' }

  const key = (name: string, ...flags: readonly string[]) => {
    const args = [crm, 'serve', 'keys', 'create', '--database', database, '--name', name, ...flags, '-o', 'json']
    const { stdout, stderr } = spawnSync(process.execPath, args, { env: serverEnv, encoding: 'utf8' })
    if (stdout === '') throw new Error(stderr)
    return String((JSON.parse(stdout) as { key: unknown }).key)
  }
  let service = await startService(['--port', '0', '--rate-limit', 'none'])
  const port = new URL(service.url).port
  const [nightKey, ownKey] = [key('night'), key('colleagues', '--rate', 'none')]
  writeFileSync(join(home, '.crm-night'), `export CRM_API_KEY=${nightKey} CRM_BASE_URL=${service.url}\n`, {
    mode: 0o600,
  })

  async function startService(flags: readonly string[]) {
    const args = [crm, 'serve', '--ready-json', '--database', database, ...flags]
    const child = spawn(process.execPath, args, { env: serverEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (said += text))
    const ended = once(child, 'close')
    const ready = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => undefined)])
    if (!ready) throw new Error(`crm serve ended: ${said}`)
    const stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
    return { url: (JSON.parse(String(ready[0])) as { url: string }).url, stop }
  }

  async function ask(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${ownKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    // A colleague may delete what another one has deleted.
    if (!answer.ok && answer.status !== 404)
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    const text = await answer.text()
    return (text === '' ? {} : JSON.parse(text)) as { data: Contact[]; next_cursor: string | null }
  }

  async function contacts(): Promise<Contact[]> {
    const found: Contact[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof ask>> = await ask(
        'GET',
        `/v1/contacts?limit=500${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...page.data)
      cursor = page.next_cursor
    }
    return found
  }

  /** The line as cron runs it, to its end or its kill -9; its exit code. */
  async function run({ line = (same) => same, killWhen, isDiskFull = false }: RunOptions = {}) {
    rmSync(pidFile, { force: true })
    const script = line(cronLine(night))
    const small = `mount -t tmpfs -o mode=700,size=64k disk '${state}' && exec /bin/sh -c "$LINE"`
    const [program, ...args] = isDiskFull ? ['unshare', '-m', '/bin/sh', '-c', small] : ['/bin/sh', '-c', script]
    const child = spawn(program as string, args, {
      env: { ...env, LINE: script },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const ended = once(child, 'close')
    while (killWhen && child.exitCode === null) {
      if (existsSync(pidFile) && (await killWhen())) {
        process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL')
        break
      }
      await setTimeout(20)
    }
    const [exit] = (await ended) as [number | null]
    return exit === 128 + 9 ? 'SIGKILL' : (exit ?? 'killed')
  }

  const taken = new Map<string, number>()
  /** What was added to a file of the night folder since the last call. */
  const added = (name: string) => {
    const path = join(night, name)
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const since = text.slice(taken.get(name) ?? 0)
    taken.set(name, text.length)
    return since
  }
  return {
    ask,
    contacts,
    run,
    newest: async () => (await ask('GET', '/v1/contacts?limit=200')).data,
    export: (rows: readonly Row[]) => writeFileSync(join(night, 'people.csv'), csvOf(rows)),
    truncate: () => writeFileSync(join(night, 'people.csv'), ''),
    written: () => ({ log: added('night.log'), alerts: added('alerts') }),
    stop: () => service.stop(),
    restart: async (flags: readonly string[]) => {
      await service.stop()
      service = await startService(['--port', port, ...flags])
    },
    end: async () => {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
