import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { JOINED } from '../../src/loader/bundle.ts'
import { buildDigest } from '../build-digest.ts'
import type { TargetNode } from './node-for.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BUILD = join(ROOT, 'dist/cli')
/** In the folder of the build: Node writes the path as it is given into the program, where a temporary folder would differ each time. */
const MAIN = 'main.cjs'

interface Wanted {
  readonly target: string
  readonly node: TargetNode
  readonly folder: string
}

/** Writes what Node's single executable applications hold: `scripts/standalone/program.js`, and all files that it reads. Returns its path. */
export async function writeBlob({ target, node, folder }: Wanted): Promise<string> {
  await build({
    entryPoints: [join(ROOT, 'scripts/standalone/program.js')],
    outfile: join(folder, MAIN),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    define: { CRM_BUILD: JSON.stringify(buildDigest(BUILD)) },
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  })
  const assets = { ...builtFiles(), ...connectorFiles(), ...keyringFile(target) }
  const names = join(folder, 'names.json')
  writeFileSync(names, JSON.stringify(Object.keys(assets)))
  const config = join(folder, 'sea.json')
  const output = join(folder, 'crm.blob')
  // NODE_OPTIONS are for programs that Node runs; crm does not show that it contains Node.
  const options = {
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    execArgvExtension: 'none',
  }
  writeFileSync(config, JSON.stringify({ main: MAIN, output, ...options, assets: { ...assets, 'names.json': names } }))
  execFileSync(node.hostProgram, ['--experimental-sea-config', config], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return output
}

type Files = Readonly<Record<string, string>>

function filesIn(folder: string, prefix: string): Files {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [`${prefix}${name}`, join(folder, name)]),
  )
}

function builtFiles(): Files {
  const code = Object.fromEntries(['main.js', ...Object.values(JOINED)].map((name) => [name, join(BUILD, name)]))
  return { ...code, ...filesIn(join(BUILD, 'chunks'), 'chunks/'), ...filesIn(join(BUILD, 'texts'), 'texts/') }
}

function connectorFiles(): Files {
  return filesIn(join(ROOT, 'connectors'), 'connectors/')
}

/** The binding of the system keyring; a build for another platform has none, and keeps keys in a file. */
function keyringFile(target: string): Files {
  const folder = join(ROOT, 'node_modules/@napi-rs', `keyring-${target}${target.startsWith('linux') ? '-gnu' : ''}`)
  const file = existsSync(folder) && readdirSync(folder).find((name) => name.endsWith('.node'))
  return file ? { 'keyring.node': join(folder, file) } : {}
}
