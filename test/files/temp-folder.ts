import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is removed after the test. */
export async function tempFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'crm-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
