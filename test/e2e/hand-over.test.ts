import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Env, tempFolder } from '../harness/home.ts'
import { emailsOn, somePeople, writePeople } from '../harness/import-run.ts'
import { CRM } from './crm.ts'
import { startService } from './service.ts'

const HAND_OVER = fileURLToPath(new URL('../../bin/hand-over.js', import.meta.url))

/** A Node of this machine that is too old for crm; undefined where there is none. */
function olderNode(): string | undefined {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return found.find((node) => {
    if (!existsSync(node)) return false
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    const [major = 0, minor = 0] = stdout.slice(1).split('.').map(Number)
    return major >= 18 && (major < 22 || (major === 22 && minor < 19))
  })
}

const older = olderNode()

const [command, script] = older === undefined ? [process.execPath, HAND_OVER] : [older, CRM]

/** Its end is the end of both processes: stdout closes with the last that holds it. */
function startHandedOver(args: readonly string[], env: Env, stdio: SpawnOptions['stdio'] = 'pipe') {
  const child = spawn(command, [script, ...args], { env, stdio })
  let stdout = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stdin?.end()
  const done = once(child, 'close').then(([exit, signal]) => ({ exit: exit ?? signal, stdout }))
  return { child, done }
}

test.skipIf(process.platform === 'win32')('kill -9 ends a job at once, on an older Node too', async () => {
  const people = somePeople(3000)
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const { child, done } = startHandedOver(['contacts', 'import', writePeople(folder, people), '--yes'], env)
  await expect.poll(() => emailsOn(service), { timeout: 20_000, interval: 20 }).not.toEqual([])
  child.kill('SIGKILL')
  expect(await done).toMatchObject({ exit: 'SIGKILL' })
  const atTheEnd = (await emailsOn(service)).length
  expect(atTheEnd).toBeGreaterThan(0)
  expect(atTheEnd).toBeLessThan(people.length)
})

const SHOW = '(: <&3) 2>/dev/null && echo 3 is open; env | grep CRM_HANDED_OVER; echo shown; exit 7'

for (const [what, stdio] of [
  ['closed', ['pipe', 'pipe', 'ignore']],
  ['in use', ['pipe', 'pipe', 'ignore', 'pipe']],
] satisfies [string, SpawnOptions['stdio']][]) {
  const name = `a command that crm runs inherits nothing of the hand-over, with fd 3 ${what}`
  test.skipIf(process.platform === 'win32')(name, async () => {
    const env: Env = { HOME: tempFolder(), PATH: process.env.PATH ?? '' }
    const { done } = startHandedOver(['sandbox', 'run', '--', 'sh', '-c', SHOW], env, stdio)
    expect(await done).toEqual({ exit: 7, stdout: 'shown\n' })
  })
}
