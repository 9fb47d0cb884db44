import { tmpdir } from 'node:os'
import type { Env } from './streams.ts'

/** The folder for temporary files: `TMPDIR`, or that of the system. */
export function temporaryFolder({ TMPDIR }: Env): string {
  return TMPDIR || tmpdir()
}
