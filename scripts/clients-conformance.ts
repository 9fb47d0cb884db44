import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isInstalled, type Result, runSuite } from './clients/conformance/run-suite.ts'
import { type Area, type Language, readAreas, readLanguages } from './clients/conformance/suite.ts'

/**
 * `npm run conformance:clients -- [--lang python] [--only TEXT] [--write]`: runs the conformance suite with the clients of these
 * languages, or of all that are installed. `--write` puts the table into docs/library.md; it needs all languages. Exits with 1 if a
 * scenario fails, with 2 for a language that is unknown or not installed.
 */
const PAGE = new URL('../docs/library.md', import.meta.url)
const [BEGIN, END] = ['<!-- npm run conformance:clients -- --write -->', '<!-- end of the table -->']

const { values } = parseArgs({
  options: {
    lang: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const languages = readLanguages()
const chosen = values.lang ?? Object.keys(languages)
const areas: readonly Area[] = readAreas().map((area) => ({
  ...area,
  scenarios: area.scenarios.filter(({ name }) => `${area.area}: ${name}`.includes(values.only)),
}))

const all = new Map<string, readonly Result[]>()
for (const lang of chosen) {
  const language = languages[lang]
  if (!language) fail(`unknown language ${JSON.stringify(lang)}, expected ${Object.keys(languages).join(', ')}`)
  if (isInstalled(language)) all.set(lang, await runAndReport(lang))
  else if (values.lang || values.write) fail(`${language.name} is not installed: ${language.probe.join(' ')}`)
  else console.log(`${lang}: skipped, because ${language.probe.join(' ')} fails`)
}
if (values.write) writeTable()
process.exitCode = [...all.values()].flat().some(({ outcome }) => outcome === 'failed') ? 1 : 0

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

async function runAndReport(lang: string): Promise<readonly Result[]> {
  const language = languages[lang]
  if (!language) throw new Error(lang)
  const startedMs = performance.now()
  const results = await runSuite(areas, language)
  for (const { area, name, faults, outcome } of results) {
    if (outcome === 'failed') console.log(`${lang}: ${area}: ${name}\n${faults.map((each) => `  ${each}`).join('\n')}`)
  }
  const count = (wanted: Result['outcome']) => results.filter(({ outcome }) => outcome === wanted).length
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const lacking = count('lacking') === 0 ? '' : `, ${count('lacking')} lacking`
  console.log(
    `${lang}: ${count('passed')} of ${results.length} passed, ${count('failed')} failed${lacking}, in ${seconds} s`,
  )
  return results
}

function writeTable(): void {
  const before = readFileSync(PAGE, 'utf8')
  const [head, rest] = before.split(BEGIN)
  const [, tail] = (rest ?? '').split(END)
  if (tail === undefined) throw new Error(`docs/library.md has no ${BEGIN} with ${END} behind it`)
  writeFileSync(PAGE, `${head}${BEGIN}\n${resultsTable(all, languages)}\n${END}${tail}`)
}

/** A row for each area, a column for each language; below it what each client lacks. */
function resultsTable(
  all: ReadonlyMap<string, readonly Result[]>,
  languages: Readonly<Record<string, Language>>,
): string {
  const areas = [...new Set([...all.values()].flat().map(({ area }) => area))]
  const columns = [...all].map(([lang, results]) => ({ name: languages[lang]?.name ?? lang, results }))
  const row = (name: string, isIn: (result: Result) => boolean) =>
    [name, ...columns.map(({ results }) => cell(results.filter(isIn)))].join(' | ')
  const lacks = [...all.keys()].flatMap((lang) => {
    const { name, lacks: reasons } = languages[lang] ?? { name: lang, lacks: {} }
    return Object.entries(reasons).map(([what, reason]) => `- ${name}, \`${what}\`: ${reason}.`)
  })
  return [
    '',
    `| area | ${columns.map(({ name }) => name).join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 1)}`,
    ...areas.map((area) => `| ${row(area, (result) => result.area === area)} |`),
    `| ${row('all', () => true)} |`,
    '',
    ...(lacks.length === 0 ? [] : ['Lacking:', '', ...lacks, '']),
  ].join('\n')
}

function cell(results: readonly Result[]): string {
  const count = (wanted: Result['outcome']) => results.filter(({ outcome }) => outcome === wanted).length
  const failed = count('failed') === 0 ? '' : `, ${count('failed')} failed`
  const lacking = count('lacking') === 0 ? '' : `, ${count('lacking')} lacking`
  return `${count('passed')} of ${results.length}${failed}${lacking}`
}
