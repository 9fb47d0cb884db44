import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packProgram } from './standalone/archive.ts'
import { writeBlob } from './standalone/blob.ts'
import { writeDebianPackage } from './standalone/debian.ts'
import { writeDefinitions } from './standalone/definitions.ts'
import { injectBlob } from './standalone/inject.ts'
import { HOST, nodeFor, TARGETS } from './standalone/node-for.ts'
import { writeSbom } from './standalone/sbom.ts'
import { writeSums } from './standalone/sums.ts'

/**
 * `npm run standalone [-- --target linux-x64,... | all] [--out FOLDER] [--url ADDRESS]`: crm as one file for a machine
 * without Node, in an archive for each target, for linux-x64 also as a Debian package, with an SBOM and SHA256SUMS. It uses the build in
 * `dist`. With the address where the files will be published, also a formula for Homebrew and a manifest for Scoop.
 */
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: HOST },
    out: { type: 'string', default: 'standalone' },
    url: { type: 'string' },
  },
})
const targets = values.target === 'all' ? TARGETS : values.target.split(',')
const unknown = targets.find((target) => !TARGETS.includes(target))
if (unknown !== undefined)
  throw new Error(`there is no target ${unknown}, expected one of ${TARGETS.join(', ')}, or all`)

const out = resolve(values.out)
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'crm-standalone-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

for (const target of targets) {
  const folder = join(work, target)
  mkdirSync(folder)
  const node = nodeFor(target, folder)
  const blob = await writeBlob({ target, node, folder })
  const program = join(folder, target.startsWith('win') ? 'crm.exe' : 'crm')
  await injectBlob({ node: node.program, blob, program })
  packProgram({ target, program, node, out })
  if (target === 'linux-x64') writeDebianPackage({ program, node, out, folder })
}
writeSbom(out)
if (values.url !== undefined) writeDefinitions({ out, url: values.url.replace(/\/$/, '') })
writeSums(out)
