import { onTestFinished } from 'vitest'
import { startRun } from '../../harness/crm.ts'
import type { Env } from '../../harness/home.ts'

/** `crm listen`, once it is ready. */
export async function listening(args: readonly string[], home: Env) {
  const ready = Promise.withResolvers<string>()
  const run = startRun(['listen', '-o', 'jsonl', ...args], home, {
    onStdout: (text) => ready.resolve(String(JSON.parse(text.split('\n', 1)[0] ?? '').url)),
  })
  run.exit.then((exit) => ready.reject(new Error(`listen ended with ${exit}: ${run.written.stderr}`)), ready.reject)
  let isEnded = false
  const end = async () => {
    if (!isEnded) run.interrupt('SIGINT')
    isEnded = true
    return { exit: await run.exit, stderr: run.written.stderr }
  }
  onTestFinished(async () => void (await end()))
  return { url: await ready.promise, written: run.written, end }
}
