import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { install, npm, pack } from './packed.ts'

/**
 * `npm run packaging`: installs the tarball in an empty folder, and uses it with each supported Node: the oldest one, and the
 * latest of each line. With an older Node it must state what it needs. A Node that the registry does not have is reported as
 * not tried.
 */
const FOR = ['22.19.0', '22', '24', '26']
const TOO_OLD = ['20', '22.18.0']
const NEEDS = /^crm(?:-cli)? needs Node\.js 22\.19 or later, and this is [\d.]+\n {2}https:\/\/nodejs\.org\n$/

const COMMANDS = `
crm() { "$NODE" "$CRM" "$@"; }
crm contacts import "$HOME/people.csv" --yes -q >/dev/null
crm contacts list --jq 'map(.name) | sort | join(" ")'
crm contacts list -o yaml --fields email --limit 1 -q
crm contacts list --where '.name == "Ada"' --fields name,email
crm pipelines list -o id
crm webhooks create --url http://127.0.0.1:9/ --events 'contact.*' -q -o id >/dev/null
crm contacts create --set name=Bo -q -o id >/dev/null
crm webhooks deliveries "$(crm webhooks list -o id)" -o jsonl >/dev/null
crm contacts list --filter name=Bo --jq '.[].name'
`

const EXPECTED = `Ada Grace
- email: grace@example.test
NAME  EMAIL
Ada   ada@example.test
sales
Bo
`

const PROGRAM = `
import { createClient } from 'crm-cli'
import { startSandbox } from 'crm-cli/sandbox'
const sandbox = await startSandbox()
const client = createClient(sandbox)
console.log((await client.contacts.create({ name: 'Ada' })).name)
await client.close()
await sandbox.stop()
`

const folder = mkdtempSync(join(tmpdir(), 'crm-packaging-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const packed = pack(folder, [])
const place = join(folder, 'installed')
mkdirSync(place)
install(packed, place)
const others = readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.') && name !== 'crm-cli')
if (others.length > 0) throw new Error(`the package installs others: ${others.join(', ')}`)
console.log(
  `${basename(packed.tarball)}: ${megabytes(packed.sizeBytes)} MB, unpacked ${megabytes(packed.unpackedBytes)} MB in ${packed.fileCount} files`,
)

const prefix = join(folder, 'prefix')
// Without a registry, which npm would ask for minutes about a package that it also installs.
npm(['install', '--global', '--prefix', prefix, '--registry', 'http://127.0.0.1:9', packed.tarball], folder)
console.log(`installed globally, npm links ${readdirSync(join(prefix, 'share/man/man1')).length} man pages`)

for (const wanted of FOR) withNode(wanted, use)
for (const wanted of TOO_OLD) withNode(wanted, refuse)

function withNode(wanted: string, check: (node: string) => void): void {
  const node = nodeOf(wanted)
  if (node === undefined) {
    console.log(`Node ${wanted}: is not available, so it was NOT tried`)
    return
  }
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  check(node)
  console.log(`Node ${wanted} (${version}): ${check === use ? 'works' : 'prints what crm needs'}`)
}

/** Gets Node from npm, which has it as packages without an install script. */
function nodeOf(wanted: string): string | undefined {
  const into = join(folder, `node-${wanted}`)
  mkdirSync(into)
  try {
    const name = `node-${process.platform}-${process.arch}@${wanted}`
    const tarball = npm(['pack', name, '--pack-destination', into], into).trim().split('\n').at(-1) ?? ''
    execFileSync('tar', ['-xzf', join(into, tarball), '-C', into])
  } catch (error) {
    console.error(String(error).split('\n')[0])
    return undefined
  }
  const node = join(into, 'package/bin/node')
  return existsSync(node) ? node : undefined
}

/** Uses a service, the client, tables, a bulk job, jq, YAML and the library, each a separate part of the bundle. */
function use(node: string): void {
  const home = mkdtempSync(join(folder, 'home-'))
  writeFileSync(join(home, 'people.csv'), 'name,email\nAda,ada@example.test\nGrace,grace@example.test\n')
  writeFileSync(join(home, 'people.sh'), COMMANDS)
  writeFileSync(join(place, 'program.js'), PROGRAM)
  const env = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    NODE: node,
    CRM: join(place, 'node_modules/crm-cli/bin/crm.js'),
  }
  const run = (args: readonly string[]) => execFileSync(node, args, { cwd: place, env, encoding: 'utf8' })
  const printed = run([env.CRM, 'sandbox', 'run', '--', 'sh', '-e', join(home, 'people.sh')])
  if (printed !== EXPECTED) throw new Error(`${node} printed ${JSON.stringify(printed)}`)
  const library = run(['program.js'])
  if (library !== 'Ada\n') throw new Error(`the library under ${node} printed ${JSON.stringify(library)}`)
}

function refuse(node: string): void {
  writeFileSync(join(place, 'program.js'), PROGRAM)
  writeFileSync(join(place, 'program.cjs'), "require('crm-cli')")
  const crm = join(place, 'node_modules/crm-cli/bin/crm.js')
  for (const args of [[crm, 'contacts', 'list'], ['program.js'], ['program.cjs']]) refuseWith(node, args)
}

function refuseWith(node: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(node, args, { cwd: place, encoding: 'utf8' })
  if (status !== 13 || !NEEDS.test(stderr)) {
    throw new Error(`${node} ended with ${status}: ${stderr}`)
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
