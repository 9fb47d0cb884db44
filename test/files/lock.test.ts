import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { withLock } from '../../src/files/lock.ts'
import { tempFolder } from './temp-folder.ts'

const holderScript = fileURLToPath(new URL('lock-holder.ts', import.meta.url))

async function startHolder(path: string): Promise<ChildProcess> {
  const holder = spawn(process.execPath, [holderScript, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return holder
}

test('work under one lock never overlaps, and the lock is gone after it', async () => {
  const folder = await tempFolder()
  let running = 0
  const overlaps: number[] = []
  const work = async (): Promise<void> => {
    running += 1
    overlaps.push(running)
    await readdir(folder)
    running -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(join(folder, 'lock'), work)))
  expect(new Set(overlaps)).toEqual(new Set([1]))
  expect(await readdir(folder)).toEqual([])
})

test('the lock is released when the work fails, and the error of the work is thrown', async () => {
  const folder = await tempFolder()
  await expect(withLock(join(folder, 'lock'), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await readdir(folder)).toEqual([])
})

test('a lock held by another process is waited for, then its holder is named', async () => {
  const path = join(await tempFolder(), 'lock')
  const holder = await startHolder(path)
  await expect(withLock(path, async () => 'never', 100)).rejects.toMatchObject({
    code: 'machine',
    message: `${path} is held by process ${holder.pid}`,
    details: { hint: `wait until it ends; if it is not a crm process: rm ${path}` },
  })
})

test('a lock of a killed process is taken over by one process at a time', async () => {
  const path = join(await tempFolder(), 'lock')
  const holder = await startHolder(path)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(await readFile(path, 'utf8')).toContain(`${holder.pid} `)
  let running = 0
  const work = async (): Promise<number> => {
    running += 1
    const seen = running
    await readFile(path, 'utf8')
    running -= 1
    return seen
  }
  const seen = await Promise.all(Array.from({ length: 10 }, () => withLock(path, work)))
  expect(new Set(seen)).toEqual(new Set([1]))
})

test.runIf(process.platform === 'linux')(
  'a lock of a killed process that its parent has not reaped is taken over',
  async () => {
    const path = join(await tempFolder(), 'lock')
    // After exec, the parent is sleep, which never waits for its child.
    const parent = spawn('sh', ['-c', '"$0" "$1" "$2" & exec sleep 60', process.execPath, holderScript, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    await once(parent.stdout, 'data')
    const pid = Number((await readFile(path, 'utf8')).split(' ')[0])
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
    expect(await withLock(path, async () => 'done', 100)).toBe('done')
  },
)

test('a lock of an earlier process with the same pid is taken over', async () => {
  const path = join(await tempFolder(), 'lock')
  await writeFile(path, `${process.pid} 1 x\n`)
  expect(await withLock(path, async () => 'done', 0)).toBe('done')
})

test.runIf(process.platform === 'linux')('a lock whose number another process has by now is taken over', async () => {
  const path = join(await tempFolder(), 'lock')
  const holder = await startHolder(join(await tempFolder(), 'other'))
  await writeFile(path, `${holder.pid} 1 x earlier-boot/1\n`)
  expect(await withLock(path, async () => 'done', 0)).toBe('done')
})

test('a new empty lock is waited for, and an old one, left by a crash, is taken over', async () => {
  const path = join(await tempFolder(), 'lock')
  await writeFile(path, '')
  await expect(withLock(path, async () => 'never', 50)).rejects.toMatchObject({
    message: `${path} is held by another process`,
  })
  await utimes(path, 0, 0)
  expect(await withLock(path, async () => 'done')).toBe('done')
})

test('a crash during the removal of a stale lock does not block the next process', async () => {
  const path = join(await tempFolder(), 'lock')
  await writeFile(path, `${process.pid} 1 x\n`)
  await writeFile(`${path}.break`, '')
  await utimes(`${path}.break`, 0, 0)
  expect(await withLock(path, async () => 'done')).toBe('done')
})

test('a link in place of the lock is never written through', async () => {
  const folder = await tempFolder()
  await symlink(join(folder, 'victim'), join(folder, 'lock'))
  await expect(withLock(join(folder, 'lock'), async () => 'never', 50)).rejects.toMatchObject({ code: 'machine' })
  expect(await readdir(folder)).toEqual(['lock'])
})

test('a missing folder is named', async () => {
  const folder = join(await tempFolder(), 'file')
  await writeFile(folder, '')
  await expect(withLock(join(folder, 'lock'), async () => 'never')).rejects.toMatchObject({ code: 'machine' })
  await mkdir(`${folder}.real`)
  expect(await withLock(join(`${folder}.real`, 'lock'), async () => 'done')).toBe('done')
})

test('a lock that another process has taken meanwhile is not removed', async () => {
  const path = join(await tempFolder(), 'lock')
  await withLock(path, () => writeFile(path, 'another\n'))
  expect(await readFile(path, 'utf8')).toBe('another\n')
})
