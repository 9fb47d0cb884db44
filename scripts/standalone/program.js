// The entry of the single file that `npm run standalone` makes: everything is read from inside it.
import { getAsset, getRawAsset } from 'node:sea'
import { runKeyringTask } from '../../bin/keyring-task.js'
import { answerWithText } from '../../bin/ready-text.js'
import { moduleLoader, startProgram } from '../../src/chunk-loader.ts'
import { openCodeCache } from '../../src/loader/code-cache.ts'

const words = process.argv.slice(2)
const names = new Set(JSON.parse(getAsset('names.json', 'utf8')))
// Not a copy: the bytes of the program itself.
const bytesOf = (name) => Buffer.from(getRawAsset(name))

if (words[0] === '__keyring') void runKeyringTask(loadBinding)
else if (!answerWithText(words, bytesOf)) startBundle()

function startBundle() {
  // For src/core/standalone.ts.
  globalThis[Symbol.for('crm.standalone')] = { names, readText: (name) => bytesOf(name).utf8Slice() }
  const bundle = {
    folder: '/crm',
    readCode: (name) => bytesOf(name).latin1Slice(),
    isCompiled: false,
    hasText: (name) => names.has(`texts/${name}.txt`),
    readCompiled: () => undefined,
    loadModule: moduleLoader('/crm', process),
  }
  startProgram(bundle, process, () => ({ openCodeCache }))
}

/** The system loads a library from a file only: one of this process alone, deleted at once. */
function loadBinding() {
  const { mkdtempSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs')
  const { tmpdir } = process.getBuiltinModule('node:os')
  if (!names.has('keyring.node')) throw new Error('this program was built without it')
  const folder = mkdtempSync(`${tmpdir()}/crm-keyring-`)
  try {
    writeFileSync(`${folder}/keyring.node`, bytesOf('keyring.node'), { mode: 0o600 })
    const binding = { exports: {} }
    process.dlopen(binding, `${folder}/keyring.node`)
    return binding.exports
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
