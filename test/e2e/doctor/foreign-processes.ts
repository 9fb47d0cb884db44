import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { tempFolder } from '../crm.ts'
import { freePort } from './free-port.ts'

const ROOT = new URL('../../../', import.meta.url)
const PRISM = fileURLToPath(new URL('tools/judges/node_modules/.bin/prism', ROOT))

/** Prism comes with `npm ci` in tools/judges. */
export const HAS_PRISM = existsSync(PRISM)

export interface Mock {
  readonly url: string
  /** As a gateway would publish it. */
  readonly document: unknown
}

/** Prism, which holds requests to the document of this name and answers with its examples. */
export async function startPrism(name: string): Promise<Mock> {
  const file = fileURLToPath(new URL(`documents/${name}.yaml`, import.meta.url))
  const child = spawn(PRISM, ['mock', file, '--port', '0'], {
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endWithTest(child)
  const url = new Promise<string>((resolve, reject) => {
    child.once('exit', (exit) => reject(new Error(`prism ended with ${exit}`)))
    createInterface(child.stdout).on('line', (line) => {
      const address = /listening on (http:\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address.replace(/\/$/, ''))
    })
  })
  return { url: await url, document: parse(readFileSync(file, 'utf8')) }
}

/** json-server on a file of its own; `text` gives what the file holds by now. */
export async function startJsonServer(data: object): Promise<{ readonly url: string; text(): string }> {
  const file = join(tempFolder(), 'db.json')
  writeFileSync(file, JSON.stringify(data))
  const port = await freePort()
  const bin = fileURLToPath(new URL('node_modules/json-server/lib/bin.js', ROOT))
  const child = spawn(process.execPath, [bin, file, '--port', `${port}`, '--host', '127.0.0.1'], { stdio: 'ignore' })
  endWithTest(child)
  const url = `http://127.0.0.1:${port}`
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error(`json-server ended with ${child.exitCode}`)
    await setTimeout(50)
  }
  return { url, text: () => readFileSync(file, 'utf8') }
}

function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  )
}

function endWithTest(child: ChildProcess): void {
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
}
