import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './driver.ts'
import type { Language } from './suite.ts'

/** Calls `use` with the command of the driver, which is built first where the language needs that. */
export async function withBuiltDriver<T>(
  { build, command }: Language,
  folder: string = ROOT,
  use: (command: readonly string[]) => Promise<T>,
): Promise<T> {
  if (!build) return use(command)
  const place = mkdtempSync(join(tmpdir(), 'crm-driver-'))
  const built = join(place, 'driver')
  const filled = (part: string) => part.replaceAll('{built}', built)
  try {
    const [program = '', ...args] = build.map(filled)
    await promisify(execFile)(program, args, { cwd: folder })
    return await use(command.map(filled))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
