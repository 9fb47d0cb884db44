import { parseArgs } from 'node:util'
import { isInstalled, type Result, runSuite } from './clients/conformance/run-suite.ts'
import { type Area, type Language, readAreas, readLanguages } from './clients/conformance/suite.ts'

/**
 * `npm run conformance:clients -- [--lang python] [--only TEXT]`: runs the conformance suite with the clients of these
 * languages, or of all that are installed. Exits with 1 if a scenario fails, with 2 for a language that is unknown or not installed.
 */
const { values } = parseArgs({
  options: {
    lang: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
  },
})
const languages = readLanguages()
const chosen = values.lang ?? Object.keys(languages)
const areas: readonly Area[] = readAreas().map((area) => ({
  ...area,
  scenarios: area.scenarios.filter(({ name }) => `${area.area}: ${name}`.includes(values.only)),
}))

const all: Result[] = []
for (const lang of chosen) {
  const language = languages[lang]
  if (!language) fail(`unknown language ${JSON.stringify(lang)}, expected ${Object.keys(languages).join(', ')}`)
  if (isInstalled(language)) all.push(...(await runAndReport(lang, language)))
  else if (values.lang) fail(`${language.name} is not installed: ${language.probe.join(' ')}`)
  else console.log(`${lang}: skipped, because ${language.probe.join(' ')} fails`)
}
process.exitCode = all.some(({ outcome }) => outcome === 'failed') ? 1 : 0

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

async function runAndReport(lang: string, language: Language): Promise<readonly Result[]> {
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
