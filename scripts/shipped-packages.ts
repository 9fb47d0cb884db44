import { readFileSync } from 'node:fs'
import { bundledFolders } from './bundled-packages.ts'

export interface ShippedPackage {
  readonly name: string
  /** The path in the lockfile: `node_modules/ink/node_modules/chalk`. */
  readonly path: string
  readonly licence: string
  readonly hasInstallScript: boolean
  /** Part of `dist/`; others are installed beside it if npm can. */
  readonly isBundled: boolean
}

interface LockEntry {
  readonly license?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Every package with code in an installation of crm, from the last build and the lockfile. */
export function shippedPackages(): readonly ShippedPackage[] {
  const lock = (readJson('package-lock.json') as { packages: Readonly<Record<string, LockEntry>> }).packages
  const bundled = bundledFolders(Object.values(readJson('dist/modules.json') as Record<string, string[]>).flat())
  const installed = installedPaths(lock)
  return [...new Set([...bundled, ...installed])].toSorted().map((path) => ({
    name: nameOf(path),
    path,
    licence: lock[path]?.license ?? 'none',
    hasInstallScript: lock[path]?.hasInstallScript === true,
    isBundled: bundled.has(path),
  }))
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))
}

/** The packages that npm installs with crm on any platform, optional or not. */
function installedPaths(lock: Readonly<Record<string, LockEntry>>): ReadonlySet<string> {
  const paths = new Set<string>()
  const names = dependenciesOf(lock[''])
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const path = `node_modules/${name}`
    if (!paths.has(path)) names.push(...dependenciesOf(lock[path]))
    paths.add(path)
  }
  return paths
}

function dependenciesOf(entry: LockEntry | undefined): string[] {
  return Object.keys({ ...entry?.dependencies, ...entry?.optionalDependencies })
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
