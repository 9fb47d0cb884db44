import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, onTestFinished } from 'vitest'

const JUDGES = fileURLToPath(new URL('../../tools/judges/node_modules/.bin/', import.meta.url))

/** Too heavy for the main install: 400 packages. `npm ci` in tools/judges brings them. */
export const describeWithJudges = describe.skipIf(!existsSync(JUDGES))

/** What a judge says of a file with this text, on stdout and stderr, and its exit code. */
export async function judge(
  name: string,
  args: (file: string) => readonly string[],
  { fileName, text }: { readonly fileName: string; readonly text: string },
): Promise<{ readonly exit: number; readonly said: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-judge-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, fileName)
  writeFileSync(file, text)
  writeFileSync(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}')
  return new Promise((resolve) => {
    execFile(join(JUDGES, name), args(file), { cwd: folder }, (error, stdout, stderr) =>
      resolve({ exit: error ? Number(error.code) : 0, said: `${stdout}${stderr}` }),
    )
  })
}
