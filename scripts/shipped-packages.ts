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
  readonly peerDependencies?: Readonly<Record<string, string>>
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

/** The packages that people may install beside crm, on any platform. */
function installedPaths(lock: Readonly<Record<string, LockEntry>>): ReadonlySet<string> {
  const paths = new Set<string>()
  const names = [...dependenciesOf(lock['']), ...Object.keys(lock['']?.peerDependencies ?? {})]
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

/** The text of docs/licences.md. Versions are in the lockfile. */
export function licencesText(packages: readonly ShippedPackage[]): string {
  const bundled = packages.filter(({ isBundled }) => isBundled)
  const installed = packages.filter(({ isBundled }) => !isBundled)
  return `# Licences of what crm ships

crm itself is MIT. Written by \`node scripts/licences.ts\`; a test compares it with the build.

## In the bundle

${table(bundled)}
## Installed beside it, where npm can

${table(installed)}
The Linux binaries of @napi-rs/keyring link libdbus statically (AFL-2.1 or GPL-2.0-or-later); each of its packages holds the licences
of all that is in it, in \`LICENSE.third-party.md\`.
`
}

function table(packages: readonly ShippedPackage[]): string {
  const byLicence = Map.groupBy(packages, ({ licence }) => licence)
  const rows = [...byLicence].toSorted(([one], [other]) => one.localeCompare(other))
  const names = (some: readonly ShippedPackage[]) => [...new Set(some.map(({ name }) => name))].toSorted().join(', ')
  return [
    '| licence | packages |',
    '|---|---|',
    ...rows.map(([licence, some]) => `| ${licence} | ${names(some)} |`),
    '',
  ].join('\n')
}

export interface AuditResult {
  /** Names and severities of vulnerable packages that crm ships. */
  readonly shipped: readonly string[]
  /** The same for packages used only in development. */
  readonly others: readonly string[]
}

interface Vulnerability {
  readonly name: string
  readonly severity: string
  readonly nodes: readonly string[]
}

/** Reads the output of `npm audit --json`; undefined when the registry did not return a report. */
export function judgeAudit(printed: string, shippedPaths: ReadonlySet<string>): AuditResult | undefined {
  const report: { vulnerabilities?: Readonly<Record<string, Vulnerability>> } = JSON.parse(printed)
  if (!report.vulnerabilities) return undefined
  const all = Object.values(report.vulnerabilities)
  const isShipped = ({ nodes }: Vulnerability) => nodes.some((path) => shippedPaths.has(path))
  const named = ({ name, severity }: Vulnerability) => `${name} (${severity})`
  return {
    shipped: all.filter(isShipped).map(named),
    others: all.filter((each) => !isShipped(each)).map(named),
  }
}
