#!/usr/bin/env node
// Node 22.19 or later runs the build here; an older one, which this file must still run on, hands over to the runtime that a checkout pins.
const { existsSync, writeSync } = require('node:fs')

const [major, minor] = process.versions.node.split('.').map(Number)
const words = process.argv.slice(2)

if (major < 22 || (major === 22 && minor < 19)) {
  require('./hand-over.js').handOver()
} else {
  if (process.env.CRM_HANDED_OVER !== undefined) require('./hand-over.js').endWithParent()
  if (!printVersion()) startProgram()
}

/** Before anything is loaded. A stdout that does not take it is left to the program, which names the trouble. */
function printVersion() {
  if (words.length !== 1 || (words[0] !== '--version' && words[0] !== '-V')) return false
  try {
    writeSync(1, `crm ${require('../package.json').version}\n`)
    return true
  } catch {
    return false
  }
}

/**
 * Ink is an ES module that waits while it is loaded, so what may draw screens runs as ES modules, and all else as CommonJS, which starts
 * faster. A record named `browse` starts slower, and works the same.
 */
function startProgram() {
  const isScreens = words.includes('browse') || words.includes('--tui')
  const main = `${__dirname}/../dist/${isScreens ? 'screens' : 'cli'}/main.js`
  if (!existsSync(main)) {
    process.stderr.write('crm is not built in this checkout yet\n  npm run build\n')
    process.exitCode = 13
    return
  }
  const { keepCompiledCode } = require('./compile-cache.js')
  keepCompiledCode(process)
  if (isScreens) void import(main)
  else require(main)
}
