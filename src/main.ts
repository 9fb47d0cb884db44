import type { WatchProcess } from './core/errors.ts'
import type { Io } from './core/streams.ts'
import type { Host } from './host.ts'

declare const CRM_VERSION: string

const argv = process.argv.slice(2)

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

if (argv[0] === '__complete') {
  void completeWords()
} else {
  void main()
}

/** Runs at every Tab, so it does not load the program. */
async function completeWords(): Promise<void> {
  const [{ complete }, { directOutput }] = await Promise.all([
    import('./completion/complete.ts'),
    import('./completion/direct-output.ts'),
  ])
  const stdout = directOutput(() => process.stdout.on('error', () => process.exit(0)))
  process.exitCode = await complete(argv.slice(1), { env: process.env, stdout, openStderr: () => process.stderr })
}

async function main(): Promise<void> {
  const [{ run }, { exitAfter }] = await Promise.all([import('./program.ts'), import('./core/exit.ts')])

  const sent: SentSoFar = { isExitCodeKept: false, changes: undefined, isReaderGone: false }
  watchStdout(process, sent)
  // A closed stderr is ignored; a writer that awaits `drain` would never continue.
  process.stderr.on('error', () => {
    process.stderr.write = () => true
    process.stderr.emit('drain')
  })

  // Which modules of Node are experimental does not concern the user.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') process.stderr.write(`${warning.name}: ${warning.message}\n`)
  })

  // Otherwise SIGUSR1 opens a debugger port, where any local program could read the key.
  process.on('SIGUSR1', () => {})

  const signals = watchSignals(exitAfter)

  let isStdinOpen = false
  const io: Io = {
    // Touching process.stdin opens it, so it waits until a command asks; a prompt ends with the interruption.
    get stdin() {
      if (!isStdinOpen) signals.signal.addEventListener('abort', () => process.stdin.destroy())
      isStdinOpen = true
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
  }

  let hasEnded = false
  process.on('beforeExit', () => {
    // Otherwise Node frees its heap piece by piece, which takes a sandbox a twentieth of its processor time.
    if (hasEnded) process.exit()
    process.exitCode = 1
    process.stderr.write('crm: ended before its work was done; this is a bug\n')
  })
  process.exitCode = await run(argv, {
    io,
    env: process.env,
    now: Date.now,
    ...signals,
    version: CRM_VERSION,
    argv,
    folder: workingFolder(),
    ...programs(),
    keepExitCode: () => {
      sent.isExitCodeKept = true
    },
    onServerChange: (what) => {
      sent.changes = what
    },
    isStdoutDiscarded: () => isNullDevice(1),
    isStdoutRead: async () => {
      if (sent.isReaderGone) return false
      return new Promise((resolve) => process.stdout.write('', (error) => resolve(!error)))
    },
    monotonicUs: () => process.hrtime.bigint() / 1000n,
    watchProcess,
    ...(process.platform !== 'win32' && { pauseProcess }),
  })
  hasEnded = true
  if (isStdinOpen) process.stdin.destroy()
}

/** The first signal interrupts the command, and the second one ends the process. */
function watchSignals(
  exitAfter: (signal: unknown) => number,
): Required<Pick<Host, 'signal' | 'interrupt' | 'reloadOnHangup' | 'lendTerminal'>> {
  const interruption = new AbortController()
  let reload: (() => void) | undefined
  let isTerminalLent = false
  const own = new Set<unknown>()
  for (const signal of SIGNALS) {
    const listener = () => {
      if (signal === 'SIGHUP' && reload) return reload()
      // The terminal sends Ctrl-C to all programs that it shows; it is meant for the other one.
      if (signal === 'SIGINT' && isTerminalLent) return
      if (interruption.signal.aborted) process.exit(exitAfter(signal))
      interruption.abort(new Error(`interrupted by ${signal}`, { cause: signal }))
    }
    own.add(listener)
    process.on(signal, listener)
  }
  // No package handles them: the writer of conf would send each one again, which would be the second one. Node adds ours anew after a script.
  process.on('newListener', (event, listener) => {
    const isForeign = SIGNALS.some((signal) => signal === event) && !own.has(listener)
    if (isForeign) queueMicrotask(() => process.off(event, listener))
  })
  return {
    signal: interruption.signal,
    interrupt: () => interruption.abort(new Error('stopped from the screen', { cause: 'SIGINT' })),
    reloadOnHangup: (work) => {
      reload = work
    },
    lendTerminal: async (during) => {
      isTerminalLent = true
      await during().finally(() => {
        isTerminalLent = false
      })
    },
  }
}

/** From dist/cli or dist/screens, where the build puts this file. */
function programs(): { readonly keyringProgram: string; readonly program: readonly [file: string, ...args: string[]] } {
  const bin = `${import.meta.dirname}/../../bin`
  return { keyringProgram: `${bin}/keyring.js`, program: [process.execPath, `${bin}/crm.js`] }
}

function watchProcess({ uncaught, exit }: Parameters<WatchProcess>[0]): () => void {
  process.on('uncaughtException', uncaught)
  process.on('exit', exit)
  return () => {
    process.off('uncaughtException', uncaught)
    process.off('exit', exit)
  }
}

/**
 * Timers are suspended with the process, so this one fires after the shell continues it, or at once where no shell controls
 * the group, whose members the system then does not stop.
 */
async function pauseProcess(): Promise<void> {
  process.kill(0, 'SIGTSTP')
  await new Promise((resolve) => setTimeout(resolve, 100))
  // The system tells a size that changed meanwhile to the shell alone: this makes Node ask for it.
  process.kill(process.pid, 'SIGWINCH')
}

/** Undefined if the folder was deleted meanwhile. */
function workingFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

function isNullDevice(fd: number): boolean {
  const { fstatSync, statSync } = process.getBuiltinModule('node:fs')
  const stats = fstatSync(fd)
  return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
}

/** The effects of a command, for the case that its output cannot be written. */
interface SentSoFar {
  /** The exit code is a result: of a write, or of a search. */
  isExitCodeKept: boolean
  /** The changes that took effect, for the message. */
  changes: string | undefined
  isReaderGone: boolean
}

/**
 * A reader that closes the pipe (`crm ... | head`) ends a list with success. A command whose exit code is a result continues
 * without a reader. A full disk is exit 13 for every command.
 */
function watchStdout({ stdout, stderr, exit }: NodeJS.Process, sent: SentSoFar): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (sent.isReaderGone) return
    const what = sent.changes === undefined ? '' : `; what took effect: ${sent.changes}`
    if (error.code !== 'EPIPE') {
      stderr.write(
        `crm: cannot write the output: ${error.message}${what}\n  free some space, or write to another place\n`,
      )
      exit(13)
    }
    if (what !== '') stderr.write(`crm: the reader of the output is gone${what}\n`)
    if (!sent.isExitCodeKept) exit(0)
    sent.isReaderGone = true
    stdout.write = () => true
    // A writer that awaits `drain` would never continue.
    stdout.emit('drain')
  })
}
