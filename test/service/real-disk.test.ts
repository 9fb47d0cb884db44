import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CRM } from '../e2e/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { ask } from '../harness/records.ts'
import { newKey } from '../harness/service.ts'

/** In its own mount namespace, so that nothing remains. */
const CAN_MOUNT = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'disk', tmpdir()]).status === 0

/** `crm serve` with its database on a small private disk, which ends with it. */
function serveOnDisk(options: string, args: readonly string[] = []) {
  const disk = tempFolder()
  const script = 'mount -t tmpfs -o "$0" disk "$1" && shift && exec "$@"'
  const command = [process.execPath, CRM, 'serve', '--ready-json', '--port', '0', '--database', join(disk, 'crm.db')]
  const child = spawn('unshare', ['-m', 'sh', '-c', script, options, disk, ...command, ...args], {
    env: emptyHome(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const remount = (changed: string) => {
    const words = ['-t', String(child.pid), '-m', 'mount', '-o', `remount,${changed}`, disk]
    const { status, stderr } = spawnSync('nsenter', words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`cannot remount: ${stderr}`)
  }
  return { child, disk, remount }
}

describe.skipIf(!CAN_MOUNT)('on a real disk (skipped where the tests may not mount one)', () => {
  test('when full, a write is 503 and a read 200; nothing acknowledged is lost', async () => {
    const key = newKey()
    const keyFile = join(tempFolder(), 'key')
    writeFileSync(keyFile, key, { mode: 0o600 })
    const { child, remount } = serveOnDisk('size=3m', ['--key-file', keyFile])
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url } = JSON.parse(line) as { url: string }
    const create = () => ask({ url, key }, { method: 'POST', path: '/v1/contacts', body: { name: 'x'.repeat(60_000) } })

    const acknowledged: unknown[] = []
    let last = await create()
    while (last.status === 201 && acknowledged.length < 100) {
      acknowledged.push(last.body.id)
      last = await create()
    }
    expect(last).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(acknowledged.length).toBeGreaterThan(5)
    expect((await ask({ url, key }, { path: '/v1/contacts?limit=1' })).status).toBe(200)
    expect(await ask({ url, key }, { path: '/readyz' })).toMatchObject({ status: 503, body: { code: 'not_ready' } })
    // The process is live: a restart would not free space.
    expect((await ask({ url, key }, { path: '/healthz' })).status).toBe(200)

    remount('size=30m')
    const made = await create()
    expect(made.status).toBe(201)
    expect((await ask({ url, key }, { path: '/readyz' })).status).toBe(200)
    const { body } = await ask({ url, key }, { path: '/v1/contacts?limit=500' })
    const ids = (body.data as { id: string }[]).map(({ id }) => id)
    expect(ids.toReversed()).toEqual([...acknowledged, made.body.id])
  })

  test('when read-only, the service does not start: exit 13 with the file', async () => {
    const { child, disk } = serveOnDisk('size=3m,ro')
    const [said, [exit]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(exit).toBe(13)
    expect(said).toContain(`database ${join(disk, 'crm.db')} cannot be written: read-only file system`)
  })
})
