import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../test/harness/free-port.ts'
import { plainEnv, ROOT, type Server } from './processes.ts'

export function writeJsonDatabase(file: string, contact: object, count: number): void {
  const contacts = Array.from({ length: count }, (_, id) => ({ id: `${id}`, ...contact }))
  writeFileSync(file, JSON.stringify({ contacts }))
}

/** The peer that people reach for first. It rewrites its file with every create. */
export async function startJsonServer(file: string): Promise<Server> {
  const bin = join(ROOT, 'node_modules/json-server/lib/bin.js')
  return startPeer('/contacts?_page=1&_per_page=1', (port) => [bin, file, '--port', `${port}`, '--host', '127.0.0.1'])
}

/** Starts a Node program that serves on a port, and waits until a path is answered with success. */
export async function startPeer(path: string, args: (port: number) => readonly string[]): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, args(port), { env: plainEnv(), stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}${path}`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`${args(port)[0]} ended with exit ${child.exitCode}`)
    await setTimeout(50)
  }
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { url, key: '', child, stop }
}
