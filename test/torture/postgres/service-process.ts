import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

export interface ProcessStart {
  readonly crm: string
  readonly port: number
  readonly keyFile: string
  readonly env: Readonly<Record<string, string>>
}

/** A place where one `crm serve` runs, always on the same port. */
export interface ServiceProcess {
  readonly url: string
  readonly starts: number
  /** The end of what its processes wrote to stderr. */
  said(): string
  start(): Promise<void>
  /** SIGKILL, and another one after `pauseMs`. Resolves when it accepts requests. */
  replace(pauseMs: number): Promise<void>
  /** SIGSTOP for so long. */
  halt(ms: number): Promise<void>
  end(): Promise<number | string | undefined>
}

/** A database in recovery refuses a service that starts; like a service manager, the rig starts it again. */
const START_AGAIN_MS = 200
const LONGEST_START_MS = 120_000

/** `onFault` hears of a process that ended by itself. */
export function serviceProcess(start: ProcessStart, onFault: (text: string) => void): ServiceProcess {
  let child: ChildProcess | undefined
  let isKilled = true
  let starts = 0
  let said = ''
  let starting: Promise<void> | undefined

  const startOnce = async (): Promise<string | undefined> => {
    const flags = ['--port', `${start.port}`, '--rate-limit', 'none', '--key-file', start.keyFile, '--ready-json']
    const started = spawn(process.execPath, [start.crm, 'serve', ...flags], {
      env: start.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const killIt = () => started.kill('SIGKILL')
    process.on('exit', killIt)
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000)
    })
    const ended = once(started, 'close')
    child = started
    isKilled = false
    const line = await Promise.race([once(createInterface(started.stdout), 'line'), ended.then(() => undefined)])
    void ended.then(([exit, signal]) => {
      process.removeListener('exit', killIt)
      if (line && !isKilled && child === started) onFault(`crm serve ended with ${exit ?? signal}: ${said}`)
    })
    if (line) return undefined
    const [exit] = await ended
    if (isKilled) return 'killed'
    // Unreachable, in recovery or read-only.
    return exit === 13 ? said : `exit ${exit}: ${said}`
  }
  const startUntilReady = async (): Promise<void> => {
    const giveUpMs = performance.now() + LONGEST_START_MS
    for (;;) {
      const said = await startOnce()
      starts++
      if (said === undefined) return
      if (said.startsWith('exit ') || performance.now() > giveUpMs) return onFault(`crm serve does not start: ${said}`)
      await setTimeout(START_AGAIN_MS)
    }
  }
  const kill = async (signal: NodeJS.Signals): Promise<number | string | undefined> => {
    const dying = child
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return undefined
    isKilled = true
    dying.kill(signal)
    const [exit, by] = await once(dying, 'close')
    return exit ?? by
  }
  return {
    url: `http://127.0.0.1:${start.port}`,
    get starts() {
      return starts
    },
    said: () => said,
    start: startUntilReady,
    replace: async (pauseMs) => {
      await kill('SIGKILL')
      // One that was killed while it started is started again by who waits for it.
      starting ??= setTimeout(pauseMs)
        .then(startUntilReady)
        .finally(() => {
          starting = undefined
        })
      await starting
    },
    halt: async (ms) => {
      const halted = child
      halted?.kill('SIGSTOP')
      await setTimeout(ms)
      halted?.kill('SIGCONT')
    },
    end: () => kill('SIGTERM'),
  }
}
