import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shippedNames } from '../src/connector/shipped.ts'
import { PRISM } from '../test/harness/prism.ts'
import { judgeVendor, type Result } from './vendor-mocks/judge.ts'
import { OPERATIONS } from './vendor-mocks/operations.ts'
import { VENDORS, type Vendor } from './vendor-mocks/vendors.ts'

/**
 * `npm run connectors:table -- FOLDER`: writes the results of the contract suite and of the mocks of the vendors' documents in
 * FOLDER into docs/connectors/README.md. Exits with 1 if one of them fails, with 2 if the documents or Prism are missing.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = join(ROOT, 'docs/connectors/README.md')
const SUITE = ['contract.test.ts', 'families/families.test.ts', 'kills.test.ts', 'families/kills.test.ts'].map(
  (name) => `test/connectors/${name}`,
)
const [BEGIN, END] = ['<!-- npm run connectors:table -->', '<!-- end of the tables -->']

const [folder] = process.argv.slice(2)
if (folder === undefined || !existsSync(folder) || !existsSync(PRISM)) {
  console.error('npm run connectors:table -- FOLDER, with the vendors’ documents, after (cd tools/judges && npm ci)')
  process.exit(2)
}

interface Claim {
  readonly ancestorTitles: readonly string[]
  readonly title: string
  readonly status: string
  readonly meta: { readonly absence?: string; readonly remark?: string }
}

const claims = runSuite()
const found = await judgeFolder(folder)
const before = readFileSync(PAGE, 'utf8')
const [head, rest] = before.split(BEGIN)
const [, tail] = (rest ?? '').split(END)
if (tail === undefined) throw new Error(`${PAGE} has no ${BEGIN} with ${END} behind it`)
const tables = ['', operationTable(found), '', suiteTable(claims), ''].join('\n')
writeFileSync(PAGE, `${head}${BEGIN}\n${tables}\n${END}${tail}`)
for (const sentence of found.left) console.error(sentence)
process.exitCode =
  found.judged.some(({ results }) => results.some(({ state }) => state === 'miss')) ||
  claims.some(({ status }) => status === 'failed')
    ? 1
    : 0

function runSuite(): readonly Claim[] {
  const results = mkdtempSync(join(tmpdir(), 'crm-suite-'))
  const file = join(results, 'suite.json')
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const projects = ['--project', 'connectors', '--project', 'slow']
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const run = spawnSync(process.execPath, [vitest, 'run', ...projects, ...reporters, ...SUITE], {
    cwd: ROOT,
    // Results go to stdout, and the table to the page.
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (run.error) throw run.error
  // Failed tests end it with 1 too, but with results.
  if (!existsSync(file)) {
    const end = run.signal ? `by the signal ${run.signal}` : `with ${run.status}`
    throw new Error(`the contract suite ended ${end} before its results were written: its last lines say why`)
  }
  const report: { testResults: readonly { name: string; assertionResults: readonly Claim[] }[] } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  rmSync(results, { recursive: true })
  // They are listed in the order of their ends.
  const placeOf = ({ name }: { name: string }) => SUITE.findIndex((path) => name === join(ROOT, path))
  const inOrder = report.testResults.toSorted((a, b) => placeOf(a) - placeOf(b))
  return inOrder.flatMap(({ assertionResults }) => assertionResults)
}

/** What a cell says, and why. */
function cellOf({
  status,
  meta: { absence, remark },
  ancestorTitles: [title = ''],
}: Claim): readonly [string, (string | undefined)?] {
  if (absence !== undefined) return ['does not occur', absence]
  if (status === 'passed') return ['ok', remark]
  return status === 'skipped' ? [status, /\(skipped (.*)\)$/.exec(title)?.[1]] : [status]
}

/** A row for each claim on several servers, a column for each server, without what its title says beside its name. */
function suiteTable(all: readonly Claim[]): string {
  const serverOf = ({ ancestorTitles: [title = ''] }: Claim) => title.replace(/,? \(.*| of .*|, .*/, '')
  const ofSeveral = [...Map.groupBy(all, ({ title }) => title)].filter(([, some]) => some.length > 1)
  const servers = [...new Set(ofSeveral.flatMap(([, some]) => some.map(serverOf)))]
  const notes: string[] = []
  const cell = (claim: Claim | undefined) => {
    const [state, note] = claim ? cellOf(claim) : ['not run']
    if (note === undefined) return state
    if (!notes.includes(note)) notes.push(note)
    return `${state} [${notes.indexOf(note) + 1}]`
  }
  const rows = ofSeveral.map(([title, some]) => [
    title,
    ...servers.map((server) => cell(some.find((claim) => serverOf(claim) === server))),
  ])
  const table = markdownTable(['claim of the contract suite', ...servers], rows)
  return [table, '', ...notes.map((text, at) => `[${at + 1}] ${text}.`)].join('\n')
}

interface FolderResults {
  readonly judged: readonly { readonly vendor: Vendor; readonly results: readonly Result[] }[]
  /** A sentence for each vendor that was not run. */
  readonly left: readonly string[]
}

/** Every vendor whose documents are in the folder and whose connector is shipped. */
async function judgeFolder(folder: string): Promise<FolderResults> {
  const judged: FolderResults['judged'][number][] = []
  const left: string[] = []
  for (const vendor of VENDORS) {
    const { connector, documents } = vendor
    const absent = documents.filter(({ file }) => !existsSync(join(folder, file))).map(({ file }) => file)
    if (absent.length > 0) left.push(`${connector}: not run, ${folder} has no ${absent.join(' and no ')}`)
    else if (!shippedNames().includes(connector)) left.push(`${connector}: not run, the connector is not shipped yet`)
    else judged.push({ vendor, results: await judgeVendor(folder, vendor) })
  }
  return { judged, left }
}

/** In Markdown: operation by document, how many work, and the remarks below. */
function operationTable({ judged }: FolderResults): string {
  const heads = judged.map(({ vendor }) => vendor.documents.map(({ file }) => file).join(', '))
  const notes = [...new Set(judged.flatMap(({ results }) => results.map(({ note }) => note)))].filter(
    (note) => note !== '',
  )
  const cell = (result: Result | undefined) => {
    const { state, note } = result ?? { state: '', note: '' }
    return note === '' ? state : `${state} [${notes.indexOf(note) + 1}]`
  }
  const rows = OPERATIONS.map(({ name, isOfContract }, at) => [
    isOfContract ? name : `${name} *`,
    ...judged.map(({ results }) => cell(results[at])),
  ])
  const counts = [
    'work, of the nine that the document offers (of all)',
    ...judged.map(({ results }) => worksText(results)),
  ]
  return [
    markdownTable(['operation', ...heads], [...rows, counts]),
    '',
    '\\* beyond the nine of the contract.',
    ...notes.map((text, at) => `[${at + 1}] ${text}.`),
  ].join('\n')
}

function worksText(results: readonly Result[]): string {
  const counted = (some: readonly Result[]) => {
    const offered = some.filter(({ state }) => state !== 'not offered')
    return `${offered.filter(({ state }) => state === 'ok').length} of ${offered.length}`
  }
  return `${counted(results.filter(({ isOfContract }) => isOfContract))} (${counted(results)})`
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
