#!/usr/bin/env node
const { readFileSync } = require('node:fs')
const { answerWithText } = require('./ready-text.js')

// Node >= 22.19 runs the bundle here; an older one hands over to the runtime that a checkout pins.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  require('./hand-over.js')
} else {
  if (process.env.CRM_HANDED_OVER !== undefined) {
    const { endWithParent } = require('./end-with-parent.js')
    endWithParent()
  }
  const folder = `${__dirname}/../dist/cli`
  const readFile = (name) => readFileSync(`${folder}/${name}`)
  if (!answerWithText(process.argv.slice(2), readFile)) startProgram(folder)
}

function startProgram(folder) {
  try {
    const loader = require(`${folder}/chunk-loader.js`)
    loader.startProgram(loader.bundleIn(folder, process), process, () => require(`${folder}/code-cache.js`))
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !/chunk-loader\.js/.test(error.message)) throw error
    process.stderr.write('crm is not built in this checkout yet\n  npm run build\n')
    process.exitCode = 13
  }
}
