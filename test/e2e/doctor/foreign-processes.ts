import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { tempFolder } from '../../harness/home.ts'

const ROOT = new URL('../../../', import.meta.url)

/** json-server on a file of its own; `text` gives what the file holds by now. */
export async function startJsonServer(data: object): Promise<{ readonly url: string; text(): string }> {
  const file = join(tempFolder(), 'db.json')
  writeFileSync(file, JSON.stringify(data))
  const port = await freePort()
  const bin = fileURLToPath(new URL('node_modules/json-server/lib/bin.js', ROOT))
  const child = spawn(process.execPath, [bin, file, '--port', `${port}`, '--host', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endWithTest(child)
  await lineOf(child, /started on PORT :(\d+)/)
  return { url: `http://127.0.0.1:${port}`, text: () => readFileSync(file, 'utf8') }
}

/** What the pattern holds in brackets, in the first line of stdout that has it. */
async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) return reject(new Error('it was started without a stdout'))
    child.once('exit', (exit) => reject(new Error(`it ended with ${exit} before it said ${pattern}`)))
    createInterface(child.stdout).on('line', (line) => {
      const found = pattern.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

function endWithTest(child: ChildProcess): void {
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
}
