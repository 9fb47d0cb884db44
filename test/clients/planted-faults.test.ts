import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isInstalled, runSuite } from '../../scripts/clients/conformance/run-suite.ts'
import { readAreas, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { tempFolder } from '../harness/home.ts'
import { PLANTED, type Planted } from './planted.ts'

const CLIENTS = fileURLToPath(new URL('../../clients', import.meta.url))

/** A copy of the clients, with one text of one of them replaced. */
function faultyCopy({ file, text, faulty }: Planted): string {
  const folder = tempFolder()
  cpSync(CLIENTS, join(folder, 'clients'), { recursive: true })
  const path = join(folder, file)
  const parts = readFileSync(path, 'utf8').split(text)
  expect(parts, `${file} contains ${text} once`).toHaveLength(2)
  writeFileSync(path, parts.join(faulty))
  return folder
}

// The client of Node.js is tested by the whole suite of crm.
for (const [lang, language] of Object.entries(readLanguages()).filter(([name]) => name !== 'node')) {
  const isThere = isInstalled(language)
  const skipped = isThere ? '' : ' (skipped: it is not installed)'
  describe.skipIf(!isThere)(`faults in the client for ${language.name}${skipped}`, () => {
    test.each(PLANTED[lang] ?? [])('the suite finds that $what', async (planted) => {
      const areas = readAreas().filter(({ area }) => area === planted.area)
      const results = await runSuite(areas, language, faultyCopy(planted))
      const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)
      expect(failed).toContain(planted.foundBy)
      // Not because nothing works.
      expect(failed.length).toBeLessThan(results.length)
    })
  })
}
