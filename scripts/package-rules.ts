import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './import-rules.ts'

/** Where code of ours may stand. */
const FOLDERS = ['src', 'bin', 'scripts', 'bench', 'test']
const SOURCE = /\.[cm]?[jt]sx?$/

/** Entries that the manual of a package without `exports` names: https://ajv.js.org/json-schema.html */
const DOCUMENTED: ReadonlySet<string> = new Set(['ajv/dist/2020.js'])

/** Quoted, whatever takes it: an import, a require, a resolve, a mock, a declaration. */
const PATH_IN_PACKAGE = /(['"`])((?:@[\w.-]+\/)?[\w.-]+)(\/[\w./-]+)\1/g
const IMPORT_LINE = /^(?:import|export)\s[^;]*?['"][^'"]+['"]$/gm
/** An import by way of the folder of packages. */
const IN_MODULES = /(?:\bfrom\s+|\bimport\s+|\b(?:import|require|resolve)\(\s*)['"`][^'"`]*node_modules\//
/** A method of a plugin of esbuild, rolldown, rollup or vite that gives it code, or another file: a function, or an object with one. */
const HOOK =
  /\b(?:onLoad|onResolve|load|resolveId|transform|renderChunk|generateBundle|writeBundle)\s*(?:\(|:\s*(?:async\b|function\b|\(|\w+\s*(?:=>|,)|\{\s*(?:filter|handler|order)\b))/

/**
 * Every path below the root of a package that its `exports` do not name, or of one without `exports`, but for its programs; and
 * every plugin of the build that names a package: it would rewrite it.
 */
export function packageFaults(root: string, modules = join(root, 'node_modules')): readonly Fault[] {
  const packages = dependenciesIn(join(modules, '..'))
  return FOLDERS.flatMap((folder) => filesIn(root, folder)).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const faults = innerPaths(text, packages, modules).map((path) => `names ${path}, which its package does not export`)
    if (IN_MODULES.test(text)) faults.push('imports from node_modules by a path')
    const rewritten = file.startsWith('scripts/') && HOOK.test(text) ? packageNamedIn(text, packages) : undefined
    if (rewritten !== undefined) faults.push(`is a plugin that names ${rewritten}; packages are bundled as they are`)
    return faults.map((fault) => ({ file, fault }))
  })
}

function filesIn(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => SOURCE.test(name) && !name.includes('node_modules')).map((name) => `${folder}/${name}`)
}

function dependenciesIn(folder: string): readonly string[] {
  return Object.keys(readPackage(folder).devDependencies ?? {})
}

type Package = Readonly<Record<string, Readonly<Record<string, unknown>> | string | undefined>>

function readPackage(folder: string): Package {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function innerPaths(text: string, packages: readonly string[], modules: string): string[] {
  const paths = [...text.matchAll(PATH_IN_PACKAGE)].flatMap(([, , name = '', rest = '']) => {
    if (!packages.includes(name) || rest === '/package.json' || DOCUMENTED.has(name + rest)) return []
    const { exports, bin } = readPackage(join(modules, name))
    const programs: readonly unknown[] = typeof bin === 'string' ? [bin] : Object.values(bin ?? {})
    const isProgram = programs.some((path) => path === rest.slice(1) || path === `.${rest}`)
    return isProgram || isExported(exports, `.${rest}`) ? [] : [name + rest]
  })
  return [...new Set(paths)]
}

/** `exports` with conditions alone, or a text, names the root. */
function isExported(exports: unknown, path: string): boolean {
  if (typeof exports !== 'object' || exports === null) return false
  return Object.keys(exports).some((key) => {
    const [start = '', end] = key.split('*')
    return end === undefined ? key === path : path.startsWith(start) && path.endsWith(end)
  })
}

/** In a path, in an expression for one, or alone in quotes; the imports of the plugin itself do not count. */
function packageNamedIn(text: string, packages: readonly string[]): string | undefined {
  const code = text.replaceAll(IMPORT_LINE, '')
  return ['node_modules', ...packages].find((name) => {
    return new RegExp(`(?<![\\w@-])${name}(?:\\\\?/|\\\\b)|(['"\`])${name}\\1`).test(code)
  })
}
