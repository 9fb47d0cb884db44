import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm } from '../packed.ts'
import { shippedPackages } from '../shipped-packages.ts'
import { commitTime, crmVersion } from './commit.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Bom {
  readonly serialNumber: string
  readonly metadata: { readonly component: object }
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * `crm-VERSION.cdx.json`: npm's own list in CycloneDX 1.5, limited to the packages with code in crm, which npm knows as packages for
 * development. Without its random number, and with the time of the commit.
 */
export function writeSbom(out: string): void {
  const { serialNumber: _, ...bom } = readBom()
  const shipped = new Set(shippedPackages().flatMap(({ path, isBundled }) => (isBundled ? [reference(path)] : [])))
  const components = bom.components
    .filter((each) => shipped.has(each['bom-ref']))
    .map((each) => ({ ...each, scope: 'required', properties: [] }))
  if (components.length < shipped.size)
    throw new Error(`npm sbom lists ${components.length} of ${shipped.size} packages`)
  const refs = (each: readonly string[]) => each.filter((ref) => shipped.has(ref))
  const own = {
    ...bom,
    metadata: {
      ...bom.metadata,
      timestamp: new Date(Number(commitTime()) * 1000).toISOString(),
      component: { ...bom.metadata.component, type: 'application', name: 'crm-cli' },
    },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => shipped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: refs(dependsOn) })),
  }
  writeFileSync(join(out, `crm-${crmVersion()}.cdx.json`), `${JSON.stringify(own, null, 2)}\n`)
}

function readBom(): Bom {
  return JSON.parse(npm(['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], ROOT))
}

/** `name@version`, of a folder such as `node_modules/ink`. */
function reference(path: string): string {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'))
  return `${name}@${version}`
}
