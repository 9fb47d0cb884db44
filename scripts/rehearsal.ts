import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import type { Script } from 'node:vm'
import { compiledFolder, createChunkLoader } from '../src/chunk-loader.ts'

/** Of V8: those that crm changes while it runs, as they are before. `test/e2e/compiled-code.test.ts` sees when one is missing. */
const FLAGS_AT_START = ['--wasm-tiering-budget=13000000', '--semi-space-growth-factor=2', '--heap-growing-percent=0']

/** `rehearsal.ts FOLDER ARGS...` runs the crm in that folder, and at its end keeps the code of every chunk it loaded. */
const [folder = ''] = process.argv.splice(2, 1)
const scripts = new Map<string, Script>()

process.on('exit', (exit) => {
  if (exit !== 0) return
  // As V8 starts: code is taken only by a process whose flags are those of the one that made it.
  for (const flag of FLAGS_AT_START) setFlagsFromString(flag)
  for (const [name, script] of scripts) {
    writeFileSync(join(compiledFolder(folder, process), name), script.createCachedData())
  }
})
if (process.argv[2] === 'browse') pretendTerminal()
createChunkLoader(folder, process, (name, script) => scripts.set(name, script))('main.js')

/** A build has none. What is drawn goes nowhere; a few keys, and then q. */
function pretendTerminal(): void {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  })
  Object.defineProperty(process, 'stdin', { value: stdin })
  Object.assign(process.stdout, { isTTY: true, columns: 120, rows: 40 })
  const keys = ['j', 'j', '/', 'a', '\r', 'q']
  const timer = setInterval(() => {
    const key = keys.shift()
    if (key !== undefined) stdin.write(key)
    else clearInterval(timer)
  }, 150)
}
