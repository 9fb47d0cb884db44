import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readPages, typedLines } from '../docs/pages.ts'
import { freePort } from '../harness/free-port.ts'
import { type Env, emptyHome } from '../harness/home.ts'
import { CRM } from './crm.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

/** The lines of the page from the four programs to the edited event. */
function linesOfHour(): readonly string[] {
  const blocks = readPages().find(({ path }) => path === 'docs/developers.md')?.blocks ?? []
  const first = blocks.findIndex(({ lines }) => lines.some((line) => line.includes('express.mjs')))
  return blocks
    .slice(first)
    .filter(({ kind }) => kind === 'sh')
    .flatMap((block) => typedLines(block).map(({ line }) => line.replace(/\s{2,}#.*$/, '')))
}

/** The programs and packages that the page says are there, and free ports in place of its own. */
async function openDesk() {
  const home = emptyHome()
  const bin = join(home.HOME, 'bin')
  const folder = join(home.HOME, 'work')
  mkdirSync(bin)
  writeFileSync(join(bin, 'crm'), `#!/bin/sh\nexec '${process.execPath}' '${CRM}' "$@"\n`)
  chmodSync(join(bin, 'crm'), 0o755)
  symlinkSync(process.execPath, join(bin, 'node'))
  cpSync(join(ROOT, 'examples/handlers'), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/crm-cli'))
  symlinkSync(join(ROOT, 'node_modules/express'), join(folder, 'node_modules/express'))
  const path = `${bin}:${process.env.PATH ?? ''}`
  const env: Env = {
    HOME: home.HOME,
    PATH: path,
    PYTHONPATH: join(ROOT, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const [serve, listen, node, python] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const filled = (line: string) =>
    line
      .replace('crm serve', `crm serve --port ${serve}`)
      .replace('crm listen', `crm listen --port ${listen}`)
      .replace(/\b3000\b/g, String(node))
      .replace(/\b3001\b/g, String(python))
      .replace('node express.mjs', `PORT=${node} node express.mjs`)
      .replace('python3 handler.py', `PORT=${python} python3 handler.py`)
  return { env, folder, filled }
}

type Desk = Awaited<ReturnType<typeof openDesk>>

function startShell(line: string, { env, folder, filled }: Desk) {
  const child = spawn('sh', ['-c', filled(line)], { cwd: folder, env, stdio: 'pipe', detached: true })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.end()
  const closed = once(child, 'close')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
    await closed
  }
  const end = async () => {
    const [exit] = await closed
    return { exit, stdout, stderr }
  }
  return { said: () => stdout + stderr, stop, end }
}

/** A program of a terminal of its own, once it says that it is ready. */
async function startProgram(line: string, desk: Desk) {
  const program = startShell(line, desk)
  onTestFinished(program.stop)
  await expect.poll(program.said, { timeout: 60_000 }).toMatch(/\bready (?:at|on port) /)
  return program
}

test.skipIf(!hasPython)(
  'an hour with a handler: 20 of 5,000 events are refused, exactly those are sent again, and one edited (skipped without python3)',
  { timeout: 600_000 },
  async () => {
    const [serve = '', listen = '', express = '', python = '', ...typed] = linesOfHour()
    const desk = await openDesk()
    const run = async (line: string) => {
      const ended = await startShell(line, desk).end()
      expect(ended, line).toMatchObject({ exit: 0 })
      return ended
    }
    const next = (part: string): string => {
      const line = typed.shift() ?? ''
      expect(line).toContain(part)
      return line
    }
    await startProgram(serve, desk)
    await startProgram(listen, desk)
    const handlers = await Promise.all([express, python].map((line) => startProgram(line, desk)))

    await run(next('seq 5000'))
    await run(next('hour.csv'))
    await run(next('crm deals import'))
    for (const { said } of handlers) {
      await expect.poll(() => said().match(/^Deal \d+: /gm)?.length, { timeout: 300_000, interval: 500 }).toBe(4980)
    }
    const listFailed = next('events list --failed')
    const failed = () => run(`${listFailed} -o jsonl`).then(({ stdout }) => stdout.split('\n').slice(0, -1))
    await expect.poll(async () => (await failed()).length, { timeout: 60_000 }).toBe(20)
    const refused = (await failed()).map((line) => String(JSON.parse(line).id))
    const shown = await run(next('events show').replace(/evt_\w+/, refused[0] ?? ''))
    expect(shown.stdout).toMatch(/toFixed/)
    expect(shown.stdout).toContain("KeyError('amount')")
    expect((await run(next('--dry-run'))).stderr).toContain('20 events would be')

    await run(next('express.mjs'))
    await run(next('handler.py'))
    await Promise.all(handlers.map(({ stop }) => stop()))
    const mended = await Promise.all([express, python].map((line) => startProgram(line, desk)))
    await run(next('replay --failed'))
    for (const { said } of mended) {
      const names = [...said().matchAll(/^(Deal \d+): 0\.00$/gm)].map(([, name]) => name)
      const expected = Array.from({ length: 20 }, (_, at) => `Deal ${250 * (at + 1)}`)
      expect(names.toSorted()).toEqual(expected.toSorted())
      expect(said().match(/^Deal/gm)).toHaveLength(20)
    }
    expect((await run(next('events list --failed'))).stderr).toContain('No events')

    await run(next('--set data.name=Edited').replace(/evt_\w+/, refused[0] ?? ''))
    expect(mended[0]?.said()).toContain('Edited: -5.00\n')
    expect(typed).toEqual([])
  },
)
