import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crm as runCrm } from '../harness/crm.ts'
import { type Env, emptyHome, type Run, tempFolder } from '../harness/home.ts'
import { serveForTest, type TestService } from '../service/serve-for-test.ts'

export interface ServiceHome {
  readonly service: TestService
  readonly env: Env
  /** A command line at the service, in this process. */
  crm(...argv: readonly string[]): Promise<Run>
  /** One that must succeed: what it printed with `-o json`. */
  // biome-ignore lint/suspicious/noExplicitAny: every command prints something else, and the test says what it expects.
  json(...argv: readonly string[]): Promise<any>
  /** The path of a new file of this text. */
  file(name: string, text: string): string
}

/** A real service with a home of its own, for command lines that run in this process. */
export async function serviceHome(): Promise<ServiceHome> {
  const service = await serveForTest()
  const folder = tempFolder()
  const env = emptyHome({
    CRM_BASE_URL: service.url,
    CRM_API_KEY: service.key.text,
    CRM_STATE_HOME: join(folder, 'state'),
  })
  const crm: ServiceHome['crm'] = (...argv) => runCrm(argv, env)
  return {
    service,
    env,
    crm,
    json: async (...argv) => {
      const { exit, stdout, stderr } = await crm(...argv, '-o', 'json')
      expect(exit, stderr).toBe(0)
      return JSON.parse(stdout)
    },
    file: (name, text) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    },
  }
}
