import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** The programs of a PostgreSQL server, and the user that runs them. */
export interface Programs {
  /** The path of `initdb`, `postgres` and so on. */
  pathOf(program: string): string
  /** PostgreSQL refuses to run as root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined
  /** For example 15. */
  readonly version: number
}

/** The newest of Debian's package `postgresql`, or what PATH has; throws where there is none. */
export function findPrograms(folders: readonly string[] = usualFolders()): Programs {
  const found = folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))))
  if (found === undefined) {
    throw new Error('neither /usr/lib/postgresql/*/bin nor PATH has initdb and postgres; install postgresql of Debian')
  }
  const said = execFileSync(join(found, 'postgres'), ['--version'], { encoding: 'utf8' })
  return { pathOf: (program) => join(found, program), user: otherThanRoot(), version: Number(/\d+/.exec(said)?.[0]) }
}

export function hasPrograms(): boolean {
  return usualFolders().some((folder) => existsSync(join(folder, 'initdb')))
}

function usualFolders(): readonly string[] {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionIn(b) - versionIn(a))
  return [...debian, ...(process.env.PATH ?? '').split(delimiter)]
}

function versionIn(folder: string): number {
  return Number(dirname(folder).split('/').at(-1))
}

function otherThanRoot(): Programs['user'] {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
  const line = ['postgres', 'nobody'].map((name) => users.split('\n').find((each) => each.startsWith(`${name}:`)))
  const [, , uid, gid] = (line[0] ?? line[1])?.split(':') ?? []
  if (uid === undefined) throw new Error('PostgreSQL refuses to run as root, and there is no user postgres or nobody')
  return { uid: Number(uid), gid: Number(gid) }
}
