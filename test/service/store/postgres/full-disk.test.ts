import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { tempFolder } from '../../../harness/home.ts'
import { startCluster } from '../../../harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../../../harness/postgres/databases.ts'
import { serveForTest } from '../../serve-for-test.ts'

/** PostgreSQL runs as another user, who would not see the mounts of a namespace of its own. */
function mounted(size: string): string | undefined {
  const disk = tempFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'disk', disk]).status !== 0) return undefined
  return disk
}

function unmount(disk: string): void {
  const { status, stderr } = spawnSync('umount', ['--lazy', disk], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cannot unmount ${disk}: ${stderr}`)
}

const CAN_MOUNT = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'disk', '/mnt']).status === 0

/** Left on the disk: less than what /readyz asks for. */
const LEFT_BYTES = 400_000

describe.skipIf(!CAN_MOUNT)('a full disk of PostgreSQL (skipped where the tests may not mount one)', () => {
  test('is 503 for writes, reads go on, and with space again all that was acknowledged is there', async () => {
    const disk = mounted('300m')
    if (disk === undefined) throw new Error('this process may mount a disk in a namespace of its own, and not here')
    onTestFinished(() => unmount(disk))
    const cluster = await startCluster({ max_wal_size: '64MB', min_wal_size: '32MB' }, disk)
    onTestFinished(cluster.remove)
    const address = await createDatabase(await prepareServer(cluster), 'prepared')
    const { send } = await serveForTest({ store: await openStore({ address, now: Date.now }) })
    const isReady = async () => (await send('GET', '/readyz', undefined, { authorization: '' })).status
    const body = 'x'.repeat(60_000)
    let made = 0
    const create = async () => {
      const name = `n${++made}`
      return { name, answer: await send('POST', '/v1/contacts', { name, body }, { 'idempotency-key': name }) }
    }
    const acknowledged = [(await create()).name]
    const filler = join(disk, 'filler')
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - LEFT_BYTES))

    let refused: string | undefined
    for (let left = 200; left > 0 && refused === undefined; left--) {
      const { name, answer } = await create()
      if (answer.status === 201) acknowledged.push(name)
      else {
        expect(answer.json).toMatchObject({ status: 503, code: 'unavailable' })
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
        expect(answer.text).not.toMatch(/extend|disk|insert/i)
        refused = name
      }
    }
    expect(refused).toBeDefined()
    expect((await send('GET', '/v1/contacts?limit=1')).status).toBe(200)
    expect(await isReady()).toBe(503)

    rmSync(filler)
    await expect.poll(isReady).toBe(200)
    const again = await send('POST', '/v1/contacts', { name: refused, body }, { 'idempotency-key': refused ?? '' })
    expect(again.status).toBe(201)
    const names: string[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { json } = await send('GET', `/v1/contacts?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`)
      names.unshift(...(json.data as { name: string }[]).map(({ name }) => name).toReversed())
      cursor = json.next_cursor ?? null
    }
    expect(names).toEqual([...acknowledged, refused])
  })
})
