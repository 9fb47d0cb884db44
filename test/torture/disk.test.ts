import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { type Call, HAS_STRACE, readRecord, recordEnded, recorded, type Step } from './call-record.ts'
import { Disk, type Tree, writeTree } from './disk.ts'
import { type Random, randomFrom } from './random.ts'

const PROGRAM = fileURLToPath(new URL('./committing-process.ts', import.meta.url))
const SEED = 7
const KILLS = 4
const CUTS_OF_EACH = 40

const open = (path: string): Call => ({ does: 'open', path, flags: ['O_CREAT', 'O_APPEND'] })
const write = (path: string, text: string, at?: number): Call => ({
  ...{ does: 'write', path, fd: 3, data: Buffer.from(text) },
  ...(at !== undefined && { at }),
})
const sync = (path: string): Call => ({ does: 'sync', path })
const makeFolder = (path: string): Call => ({ does: 'make folder', path })
const rename = (from: string, path: string): Call => ({ does: 'rename', from, path })
const remove = (path: string): Call => ({ does: 'remove', path })

const A = 'a'.repeat(512)
const B = 'b'.repeat(512)
const ZEROS = '\0'.repeat(512)
const SYNCED = [open('/d/f'), write('/d/f', `${A}${A}`), sync('/d/f')]

test.each<[string, readonly Call[], readonly string[]]>([
  ['a synced file is whole, with its name', SYNCED, [`f:${A}${A}`]],
  [
    'a file that was not synced may be missing, empty, zeros or whole',
    [open('/d/f'), write('/d/f', A)],
    ['', 'f:', `f:${ZEROS}`, `f:${A}`],
  ],
  [
    'sectors written after the sync are old or new, each by itself',
    [...SYNCED, write('/d/f', `${B}${B}`, 0)],
    [`f:${A}${A}`, `f:${A}${B}`, `f:${B}${A}`, `f:${B}${B}`],
  ],
  [
    'a truncation may be undone',
    [...SYNCED, { does: 'resize', path: '/d/f', size: 512 }],
    [`f:${A}`, `f:${A}${A}`, `f:${A}${ZEROS}`],
  ],
  ['a rename is done or not, whole', [...SYNCED, rename('/d/f', '/d/g')], [`f:${A}${A}`, `g:${A}${A}`]],
  [
    'the sync of a renamed file leaves its name open',
    [...SYNCED, rename('/d/f', '/d/g'), sync('/d/g')],
    [`f:${A}${A}`, `g:${A}${A}`],
  ],
  [
    'a rename is permanent with the sync of its folder',
    [...SYNCED, rename('/d/f', '/d/g'), sync('/d')],
    [`g:${A}${A}`],
  ],
  ['a removed file may be back', [...SYNCED, remove('/d/f')], ['', `f:${A}${A}`]],
  ['a synced file has the folders above it', [makeFolder('/d/in'), open('/d/in/f'), sync('/d/in/f')], ['in/ in/f:']],
  ['shared memory is lost', [open('/d/db-shm'), sync('/d/db-shm')], ['']],
])('%s', (_title, calls, expected) => {
  const found = new Set<string>()
  for (let seed = 0; seed < 300; seed++) found.add(text(cutAfter(calls, randomFrom(seed))))
  expect([...found].sort()).toEqual([...expected].sort())
})

test('what is written while a sync is under way may be lost', () => {
  const [made, early, synced, late] = [open('/d/f'), write('/d/f', 'x'), sync('/d/f'), write('/d/f', 'y')]
  const steps = [...done(made), ...done(early), { begins: synced }, ...done(late), { ends: synced, result: 0 }]
  const cut = (seed: number) => {
    const disk = new Disk('/d')
    disk.replay(steps)
    return text(disk.cut(randomFrom(seed)))
  }
  expect(new Set(Array.from({ length: 100 }, (_, seed) => cut(seed)))).toEqual(new Set(['f:x', 'f:xy', 'f:x\0']))
})

test.each([
  ['4096, 8192 <unfinished ...>'],
  ['4096, 8192 <detached ...>'],
  ['4096, 8192) = ?'],
  ['4096, 8192) = -1 (errno 18446744073709551598)'],
])('a call in which the process was killed has no result: %s', (end) => {
  const log = join(tempFolder(), 'calls')
  const hex = (text: string) =>
    text.replaceAll(/./g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
  writeFileSync(log, `7 pwrite64(3<${hex('/d/f')}>, "${hex('abc')}", ${end}\n`)
  const [begun, ...more] = readRecord(log, '/d')
  expect(begun).toMatchObject({ begins: { does: 'write', path: '/d/f', at: 8192 } })
  expect(more).toEqual([])
})

describe.skipIf(!HAS_STRACE)('SQLite, killed and cut off from power (skipped where strace is not installed)', () => {
  test.each<[string, string, string?]>([
    ['WAL', 'FULL'],
    // As a job commits its leases.
    ['WAL', 'NORMAL', 'PRAGMA wal_checkpoint(FULL)'],
    ['DELETE', 'EXTRA'],
  ])('with journal_mode=%s and synchronous=%s keeps every committed row', async (...modes) => {
    expect(await damage(...modes)).toEqual([])
  })

  // The journal that was removed may be back, and undoes the commit: https://sqlite.org/pragma.html#pragma_synchronous
  test.each([
    ['WAL', 'NORMAL'],
    ['DELETE', 'FULL'],
  ])('with journal_mode=%s and synchronous=%s may lose the last rows', async (...modes) => {
    expect(await damage(...modes)).toContainEqual(expect.stringMatching(/^row \d+ is lost$/))
  })

  test.each(['WAL', 'DELETE'])(
    'with journal_mode=%s and synchronous=OFF loses rows or is damaged',
    async (journalMode) => {
      expect(await damage(journalMode, 'OFF')).not.toEqual([])
    },
  )
})

/** What was wrong after cuts at any moments of some lives. */
async function damage(journalMode: string, synchronous: string, checkpoint = ''): Promise<string[]> {
  const random = randomFrom(SEED)
  const faults: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const [folder, lost] = [tempFolder(), tempFolder()]
    const log = join(tempFolder(), 'calls')
    await killedLife(log, [join(folder, 'db'), journalMode, synchronous, checkpoint], random.between(5, 60))
    const steps = readRecord(log, folder)
    // The record explains the files.
    new Disk(folder).follow(steps)
    for (let cut = 0; cut < CUTS_OF_EACH; cut++) {
      const past = steps.slice(0, random.between(0, steps.length))
      const disk = new Disk(folder)
      writeTree(lost, disk.cut(random, disk.replay(past)))
      const fault = faultOf(join(lost, 'db'), printedIn(past))
      if (fault) faults.push(fault)
    }
  }
  return faults
}

async function killedLife(log: string, args: readonly string[], rows: number): Promise<void> {
  const [command, ...rest] = recorded(log, [process.execPath, PROGRAM, ...args])
  const child = spawn(command, rest, { env: emptyHome(), stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  createInterface(child.stdout).on('line', (line) => {
    if (Number(line) >= rows) child.kill('SIGKILL')
  })
  await once(child, 'exit')
  await recordEnded(log)
  await closed
}

/** The last row of which the program said that it is committed. */
function printedIn(steps: readonly Step[]): number {
  const printed = steps.flatMap((step) =>
    'begins' in step && step.begins.does === 'write' && step.begins.fd === 1 ? [step.begins] : [],
  )
  return Number(printed.at(-1)?.data ?? 0)
}

function faultOf(path: string, rows: number): string | undefined {
  try {
    using database = new DatabaseSync(path)
    const [check] = database.prepare('PRAGMA integrity_check').all()
    if (check?.integrity_check !== 'ok') return `${check?.integrity_check}`
    if (rows === 0) return
    const kept = new Set(
      database
        .prepare('SELECT number FROM kept')
        .all()
        .map(({ number }) => number),
    )
    for (let row = 1; row <= rows; row++) if (!kept.has(row)) return `row ${row} is lost`
    return
  } catch (error) {
    return String(error)
  }
}

function cutAfter(calls: readonly Call[], random: Random): Tree {
  const disk = new Disk('/d')
  disk.replay(calls.flatMap(done))
  return disk.cut(random)
}

function done(call: Call): Step[] {
  return [{ begins: call }, { ends: call, result: call.does === 'write' ? call.data.length : 0 }]
}

function text(tree: Tree): string {
  return [...tree].map(([path, bytes]) => (bytes ? `${path}:${Buffer.from(bytes)}` : `${path}/`)).join(' ')
}
