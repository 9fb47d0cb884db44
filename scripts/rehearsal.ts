import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { Script } from 'node:vm'
import { compiledFolder, createChunkLoader } from '../src/chunk-loader.ts'

/** `rehearsal.ts FOLDER ARGS...` runs the crm in that folder, and at its end keeps the code of every chunk it loaded. */
const [folder = ''] = process.argv.splice(2, 1)
const scripts = new Map<string, Script>()

process.on('exit', (exit) => {
  if (exit !== 0) return
  // As V8 starts: code is taken only by a process whose flags are those of the one that made it.
  setFlagsFromString('--wasm-tiering-budget=13000000')
  for (const [name, script] of scripts) {
    writeFileSync(join(compiledFolder(folder, process), name), script.createCachedData())
  }
})
createChunkLoader(folder, process, (name, script) => scripts.set(name, script))('main.js')
