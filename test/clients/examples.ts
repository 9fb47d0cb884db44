import { readFileSync } from 'node:fs'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import { tempFolder } from '../harness/home.ts'

/** The examples in this language of a page. */
export function examplesIn(page: string, language: string): readonly string[] {
  const blocks = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')
  return [...readFileSync(page, 'utf8').matchAll(blocks)].map(([, code = '']) => code)
}

/** Calls `use` with the variables that lead a client to a service of its own. */
export async function withService(use: (env: Readonly<Record<string, string>>) => Promise<void>): Promise<void> {
  const sandbox = await openSandbox({
    ...{ seed: [], seedEnv: {}, latencyMs: 0, fail: {}, rateLimit: undefined, clockMs: undefined, log: undefined },
    ...{ parent: tempFolder(), version: '0.0.0', signal: new AbortController().signal, onMistake: () => {} },
  })
  try {
    await use(sandbox.env)
  } finally {
    await sandbox.close()
  }
}
