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

/**
 * Packs the present build, without the scripts, which would rebuild dist while other processes use it and name the man pages
 * in package.json; with no flags, as it is published.
 */
export function pack(folder: string, flags: readonly string[] = ['--ignore-scripts']): Packed {
  const args = ['pack', ...flags, '--foreground-scripts=false', '--json', '--pack-destination', folder]
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(npm(args, ROOT))
  return { tarball: join(folder, filename), sizeBytes: size, unpackedBytes: unpackedSize, fileCount: entryCount }
}

/** Installs only the tarball, into an empty folder. */
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
