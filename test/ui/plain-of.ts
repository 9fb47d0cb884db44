import { PassThrough } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { CrmError } from '../../src/core/errors.ts'
import type { Jobs } from '../../src/jobs/jobs.ts'
import { openPlain, type PlainOptions } from '../../src/ui/open-plain.ts'
import { openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { jobsAt } from './jobs-at.ts'

const NONE = () => Promise.reject(new CrmError('unreachable', 'no server of the test', { hint: 'there is none' }))

/** The line mode: a test types lines and reads what is printed. */
export async function plainOf(api: Api, options: Partial<PlainOptions> = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let text = ''
  stdout.on('data', (part: Buffer) => {
    text += part.toString()
  })
  const streams = { stdin: stdin as unknown as NodeJS.ReadStream, stdout: stdout as unknown as NodeJS.WriteStream }
  const ended = openPlain({
    ...{ screen: 'contacts', place: { text: 'test', isProtected: false }, ...streams },
    ...{ openApi: async () => api, openJobs: NONE, findRecords: NONE, env: { HOME: await tempFolder() } },
    ...{ senders: { replay: NONE, trigger: NONE }, now: Date.now, interrupt: () => {} },
    signal: new AbortController().signal,
    ...options,
  })
  onTestFinished(async () => {
    stdin.end()
    await ended
  })
  return {
    ended,
    type: (line: string) => void stdin.write(`${line}\n`),
    printed: () => text,
    /** Waits for it in what was printed since the last wait, and gives that. */
    says: async (expected: string | RegExp): Promise<string> => {
      const pattern =
        typeof expected === 'string' ? new RegExp(expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : expected
      await expect.poll(() => text, { timeout: 8_000, interval: 20 }).toMatch(pattern)
      const said = text
      text = ''
      return said
    },
  }
}

/** The line mode at a real service with jobs. */
export async function plainAtService(
  prepare: (api: Api, jobs: Jobs) => Promise<unknown>,
  options: Partial<PlainOptions> = {},
) {
  const service = await serveForTest()
  const url = new URL(service.url)
  const { api } = openClient(url, { key: service.key.text, terms: { ...SERVER_TERMS, pageSize: 100 } })
  const jobs = await jobsAt(url, service.key.text)
  await prepare(api, jobs)
  return { api, jobs, ...(await plainOf(api, { openJobs: async () => jobs, ...options })) }
}
