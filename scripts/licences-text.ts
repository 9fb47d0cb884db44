import type { ShippedPackage } from './shipped-packages.ts'

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
