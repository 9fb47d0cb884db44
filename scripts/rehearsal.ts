import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Script } from 'node:vm'
import { bundleIn, createChunkLoader } from '../src/chunk-loader.ts'
import { compiledFolder, joinedFor, type Watch } from '../src/loader/bundle.ts'

/** `rehearsal.ts FOLDER ARGS...` runs the crm in that folder, and at the end stores the code of every loaded chunk. */
const [folder = ''] = process.argv.splice(2, 1)
const scripts = new Map<string, Script>()

process.on('exit', (exit) => {
  if (exit !== 0) return
  for (const [name, script] of scripts) {
    writeFileSync(join(compiledFolder(folder, process), basename(name)), script.createCachedData())
  }
})
if (process.argv[2] === 'browse') pretendTerminal()
const watch: Watch = {
  onCompiled: (name, script) => scripts.set(name, script),
  // Compiled code contains the path, which must not depend on where it was built. Copied, because V8 stores the text that a part comes from.
  pathOf: (name) => Buffer.from(`crm/${name}`).toString('latin1'),
}
createChunkLoader(bundleIn(folder, process), watch, joinedFor(process.argv))('main.js')

/** A build has no terminal: drawing is discarded, and the keys are a few and then q. */
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
