import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { readAreas, readLanguages, SUITE_FOLDER } from '../../scripts/clients/conformance/suite.ts'
import { generatedClients } from '../../scripts/clients/generated-clients.ts'

test.each([...generatedClients()])('%s is what npm run clients writes', (path, text) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text)
})

const validate = new Ajv2020({ strict: true, strictRequired: false, allErrors: true }).compile(
  JSON.parse(readFileSync(`${SUITE_FOLDER}scenario.schema.json`, 'utf8')),
)

test.each(readAreas().map((area) => [area.area, area] as const))('the scenarios of %s match the schema', (_, area) => {
  expect(validate(area) ? [] : validate.errors).toEqual([])
})

test('there are at least 60 scenarios, each with a name of its own, and each expects something', () => {
  const all = readAreas().flatMap(({ scenarios }) => scenarios)
  expect(all.length).toBeGreaterThanOrEqual(60)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  const silent = all.filter(
    ({ observed, steps }) => !observed && steps.every(({ returns, fails }) => !returns && !fails),
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})

test('what a client lacks is needed by a scenario', () => {
  const needs = readAreas().flatMap(({ scenarios }) => scenarios.flatMap(({ needs = [] }) => needs))
  const lacks = Object.values(readLanguages()).flatMap((language) => Object.keys(language.lacks))
  expect(lacks.filter((lack) => !needs.includes(lack))).toEqual([])
})
