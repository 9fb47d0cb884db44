import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Who may import whom: docs/decisions/0001-modules.md is this table. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  files: ['core'],
  expr: ['core'],
  connector: ['core', 'files'],
  api: ['core', 'files', 'connector'],
  probe: ['core', 'files', 'connector', 'api'],
  output: ['core', 'files', 'expr'],
  settings: ['core', 'files', 'expr'],
  oauth: ['core', 'files', 'api', 'settings'],
  service: ['core', 'files', 'expr'],
  webhooks: ['core', 'files', 'expr'],
  jobs: ['core', 'connector', 'api', 'output', 'files', 'expr'],
  fixtures: ['core', 'api', 'jobs', 'files'],
  migration: ['core', 'api', 'jobs', 'files'],
  snapshot: ['core', 'api', 'files'],
  duplicates: ['core'],
  sorting: ['core', 'files'],
  sandbox: ['core', 'files', 'service', 'fixtures'],
  completion: ['core', 'files', 'output', 'settings'],
  ui: ['core', 'connector', 'api', 'output', 'settings', 'jobs', 'webhooks', 'expr'],
  commands: ['core', 'output', 'settings'],
  'host.ts': ['core'],
  'context.ts': ['core', 'output', 'settings'],
  'program.ts': ['core', 'output', 'settings', 'commands', 'context.ts'],
  'main.ts': ['core', 'output', 'files', 'program.ts', 'context.ts'],
  library: ['core', 'connector', 'api', 'settings', 'output', 'jobs', 'files', 'expr'],
  'index.ts': ['core', 'library'],
}

/** Heavy modules are theirs by `import type`, and those of the second list by `import()` too. */
const TYPES_OF_ANY = ['commands', 'host.ts', 'context.ts', 'program.ts', 'main.ts']
const LOADS_ANY = ['commands', 'context.ts', 'program.ts', 'main.ts']

/** Imported by no module, except program.ts by main.ts. */
const ENTRIES = ['main.ts', 'program.ts', 'index.ts']

/** Packages, by the first part of their names. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@commander-js/extra-typings': ['commands', 'program.ts'],
  commander: ['commands', 'program.ts'],
  undici: ['api'],
  '@rgrove/parse-xml': ['api'],
  'openid-client': ['oauth'],
  jose: ['oauth'],
  conf: ['settings'],
  'cli-table3': ['output'],
  graphql: ['service'],
  'jq-wasm': ['expr'],
  pg: ['service'],
  'prom-client': ['service'],
  '@skyra/jaro-winkler': ['duplicates'],
  'any-ascii': ['duplicates'],
  'libphonenumber-js': ['jobs'],
  'csv-parse': ['jobs'],
  'csv-parse/sync': ['jobs'],
  yauzl: ['jobs'],
  ink: ['ui'],
  react: ['ui'],
  yaml: ['commands', 'connector', 'fixtures', 'jobs', 'probe', 'ui'],
  zod: ['connector', 'ui'],
}

/** The identity of the process in files it owns, and children that end with it; all else of it is passed in by main.ts. */
const PROCESS = ['files/processes.ts', 'sandbox/run-in-sandbox.ts', 'settings/keyring/ask-keyring.ts']

/** The databases of the service, behind service/store/open-store.ts. A job is a file of SQLite, and has scratch files. */
const SQLITE = 'service/store/sqlite/'
const POSTGRES = 'service/store/postgres/'
const JOBS = ['jobs/store/', 'jobs/plan/scratch.ts']

export interface Fault {
  /** From the folder on: `src/api/transport/http.ts`. */
  readonly file: string
  readonly fault: string
}

/** Every import of `src` in this folder that the table does not allow, and every circle, of types alone too. */
export function boundaryFaults(root: string): readonly Fault[] {
  const files = sourceFiles(root)
  const imports = new Map(files.map((file) => [file, importsIn(root, file)]))
  const found = files.flatMap((file) =>
    (imports.get(file) ?? []).flatMap((each) => {
      const fault = databaseFault(file, each) ?? faultOf(file, each)
      return fault === undefined ? [] : [{ file: `src/${file}`, fault }]
    }),
  )
  const circles = circlesIn(imports).map((files) => ({
    file: `src/${files[0]}`,
    fault: `imports itself by way of ${files.slice(1).join(', ')}`,
  }))
  return [...files.flatMap(unknownModule), ...found, ...circles]
}

function moduleOf(file: string): string {
  return file.split('/', 1).join()
}

function unknownModule(file: string): readonly Fault[] {
  if (Object.hasOwn(MODULES, moduleOf(file))) return []
  return [{ file: `src/${file}`, fault: `${moduleOf(file)} is no module of docs/decisions/0001-modules.md` }]
}

function databaseFault(file: string, { target }: Import): string | undefined {
  const isFault =
    ([SQLITE, POSTGRES].some((folder) => target.startsWith(folder)) && !file.startsWith('service/store/')) ||
    (target === 'node:sqlite' && ![SQLITE, ...JOBS].some((path) => file.startsWith(path))) ||
    (target === 'pg' && !file.startsWith(POSTGRES))
  return isFault ? 'uses a database itself; open a store with service/store/open-store.ts' : undefined
}

/** Undefined for an import that is allowed. */
function faultOf(file: string, { target, isOwn, how }: Import): string | undefined {
  const from = moduleOf(file)
  if (!isOwn) return packageFault(file, target)
  const to = moduleOf(target)
  if (from === to || (MODULES[from] ?? []).includes(to)) return undefined
  if (to === 'context.ts' && how === 'type' && from === 'commands') return undefined
  const isEntry = ENTRIES.includes(to)
  if (!isEntry && how === 'type' && TYPES_OF_ANY.includes(from)) return undefined
  if (!isEntry && how === 'lazy' && LOADS_ANY.includes(from)) return undefined
  const may = [...(MODULES[from] ?? []), ...(TYPES_OF_ANY.includes(from) ? ['types of any module'] : [])]
  return `imports ${target}; ${from} may import ${may.join(', ') || 'itself'}`
}

function packageFault(file: string, name: string): string | undefined {
  if (name === 'node:process' || name === 'process') {
    const isAllowed = PROCESS.includes(file) || file === 'main.ts'
    return isAllowed ? undefined : 'reads the process, which main.ts passes in'
  }
  if (name.startsWith('node:')) return undefined
  const [scope = '', rest] = name.split('/')
  const owners = PACKAGES[scope.startsWith('@') ? `${scope}/${rest}` : scope]
  if (owners === undefined) return `imports the package ${name}, which no module owns`
  return owners.includes(moduleOf(file)) ? undefined : `imports the package ${name} of ${owners.join(', ')}`
}

type Imports = ReadonlyMap<string, readonly Import[]>

/** Groups of files of which each imports each, however indirectly, types alone too. An `import()` ends a circle. */
function circlesIn(imports: Imports): readonly (readonly string[])[] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(imports, file)]))
  const inCircle = [...imports.keys()].filter((file) => reached.get(file)?.has(file))
  const group = (file: string) =>
    inCircle.filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file))
  return [...Map.groupBy(inCircle, (file) => group(file)[0]).values()]
}

function reachableFrom(imports: Imports, file: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [file]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const { target, isOwn, how } of imports.get(from) ?? []) {
      if (!isOwn || how === 'lazy' || reached.has(target)) continue
      reached.add(target)
      open.push(target)
    }
  }
  return reached
}

interface Import {
  /** A file from `src` on, or the name of a package. */
  readonly target: string
  readonly isOwn: boolean
  /** `type` leaves nothing in the program; `lazy` is `import()`. */
  readonly how: 'type' | 'value' | 'lazy'
}

/** The files of `src`, from there on. Declarations of what others wrote are left out. */
function sourceFiles(root: string): readonly string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts')).toSorted()
}

/** As biome formats them: every statement begins its line. */
const STATIC = /^(?:import|export)\s+(type\s)?(?:([^'"`;()]*?)\s*from\s+)?['"]([^'"]+)['"]/gm
const LAZY = /(\btypeof\s+)?\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)(\s*\.\s*[A-Z])?/g

function importsIn(root: string, file: string): readonly Import[] {
  const text = readFileSync(join(root, 'src', file), 'utf8')
  const statics = [...text.matchAll(STATIC)].map(([, type, names, from = '']) =>
    importOf(file, from, type || isTypesAlone(names) ? 'type' : 'value'),
  )
  const others = [...text.matchAll(LAZY)].map(([, type, from = '', member]) =>
    importOf(file, from, type || member ? 'type' : 'lazy'),
  )
  return [...statics, ...others]
}

/** `{ type A, type B }` */
function isTypesAlone(names = ''): boolean {
  const [, inner] = /^\{(.*)\}$/s.exec(names.trim()) ?? []
  const each = (inner ?? '').split(',').map((name) => name.trim())
  return inner !== undefined && each.every((name) => name === '' || name.startsWith('type '))
}

function importOf(file: string, from: string, how: Import['how']): Import {
  const isOwn = from.startsWith('.')
  return { target: isOwn ? posix.join(posix.dirname(file), from) : from, isOwn, how }
}
