#!/usr/bin/env node
import { answerWithText } from './ready-text.js'

// Node >= 22.19 runs the bundle here; an older one hands over to the runtime that a checkout pins.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  await import('./hand-over.js')
} else {
  if (process.env.CRM_HANDED_OVER !== undefined) (await import('./end-with-parent.js')).endWithParent()
  const folder = `${import.meta.dirname}/../dist/cli`
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const readFile = (name) => readFileSync(`${folder}/${name}`)
  if (!answerWithText(process.argv.slice(2), readFile)) startProgram(folder)
}

function startProgram(folder) {
  const { createRequire } = process.getBuiltinModule('node:module')
  try {
    const loader = createRequire(import.meta.url)(`${folder}/chunk-loader.js`)
    loader.startProgram(loader.bundleIn(folder, process), process)
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !/chunk-loader\.js/.test(error.message)) throw error
    process.stderr.write('crm is not built in this checkout yet\n  npm run build\n')
    process.exitCode = 13
  }
}
