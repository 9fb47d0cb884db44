import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface Packed {
  readonly tarball: string
  readonly sizeBytes: number
  readonly unpackedBytes: number
  readonly fileCount: number
}

/** What would be published, of the build that is there. */
export function pack(folder: string): Packed {
  // Without scripts: they would build dist anew under the feet of who uses it.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(npm(args, ROOT))
  return { tarball: join(folder, filename), sizeBytes: size, unpackedBytes: unpackedSize, fileCount: entryCount }
}

/** Into an empty folder, from the tarball and nothing else. */
export function install({ tarball }: Packed, folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  npm(['install', '--offline', '--no-audit', '--omit=optional', tarball], folder)
}

export function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', [...args, '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
