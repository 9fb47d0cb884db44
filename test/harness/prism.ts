import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CleanUp, Env } from './home.ts'

const ROOT = new URL('../../', import.meta.url)

/** Comes with `npm ci` in tools/judges. */
export const PRISM = fileURLToPath(new URL('tools/judges/node_modules/.bin/prism', ROOT))

/**
 * With CRM_E2E_PRISM=FILE the services that commands talk to stand behind a prism, which holds requests and answers to the
 * OpenAPI document and answers itself when they break it. FILE gets a line for each time. Not with TLS: prism would have
 * to trust a certificate of its own.
 */
export async function behindPrism(url: string, env: Env, cleanUp: CleanUp): Promise<string> {
  const log = process.env.CRM_E2E_PRISM
  if (!log || url.startsWith('https:')) return url
  const args = ['proxy', `${url}/v1/openapi.json`, url, '--errors', '--port', '0']
  const child = spawn(process.execPath, [PRISM, ...args], {
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  cleanUp(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  return new Promise((resolve, reject) => {
    child.once('exit', (exit) => reject(new Error(`prism ended with ${exit}`)))
    lines.on('line', (line) => {
      const address = /listening on (http:\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address.replace(/\/$/, ''))
      if (/violation|terminated with error/i.test(line)) appendFileSync(log, `${line}\n`)
    })
  })
}
