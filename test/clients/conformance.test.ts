import { describe, expect, test } from 'vitest'
import { isInstalled, runSuite } from '../../scripts/clients/conformance/run-suite.ts'
import { readAreas, readLanguages } from '../../scripts/clients/conformance/suite.ts'

for (const [lang, language] of Object.entries(readLanguages())) {
  const isThere = isInstalled(language)
  describe.skipIf(!isThere)(
    `${language.name}${isThere ? '' : ` (skipped: ${language.probe[0]} is not installed)`}`,
    () => {
      test(`the client passes the conformance suite, except for what languages.json says about ${lang}`, async () => {
        const results = await runSuite(readAreas(), language)
        const failed = results.filter(({ outcome }) => outcome === 'failed')
        expect(failed).toEqual([])
        expect(results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThanOrEqual(60)
      })
    },
  )
}
