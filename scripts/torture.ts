import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildMutant, MUTANT_NAMES, MUTANTS } from '../test/torture/mutants.ts'
import { SERVER_KINDS } from '../test/torture/server-kind.ts'
import { torture } from '../test/torture/torture.ts'
import { newSeed, rigFlags } from './torture-flags.ts'

const USAGE = `usage: npm run torture -- [--kills N] [--rows N] [--seed N] [--harsh] [--server KIND] [--mutant NAME]

Imports rows through a proxy that breaks things, under kill -9, power cuts and a clock that jumps. Exits with 1 if a row
exists twice or is missing, or if an account does not add up.

  --kills N      how often an import is killed (default: 200)
  --rows N       rows of each import (default: 5000)
  --seed N       repeats an earlier run
  --harsh        breaks more
  --server KIND  ${SERVER_KINDS.join(', ')} (default: keeps-keys)
  --mutant NAME  a client that lacks a rule, which the run must detect: ${MUTANT_NAMES.join(', ')}
`

const CRM = fileURLToPath(new URL('../bin/crm.js', import.meta.url))
const flags = rigFlags(USAGE, {
  kills: '200',
  rows: '5000',
  seed: newSeed(),
  harsh: false,
  mutant: undefined,
  server: 'keeps-keys',
})
const mutant = flags.oneOf('mutant', MUTANT_NAMES)
const seed = flags.wholeNumber('seed')
const options = {
  serverKind: flags.oneOf('server', SERVER_KINDS) ?? 'keeps-keys',
  kills: flags.wholeNumber('kills'),
  rows: flags.wholeNumber('rows'),
  isHarsh: flags.has('harsh'),
}
const mutants = mkdtempSync(join(tmpdir(), 'crm-mutant-'))
process.on('exit', () => rmSync(mutants, { recursive: true, force: true }))

const startedMs = performance.now()
const { met, faults, ...counts } = await torture({
  ...options,
  crm: mutant === undefined ? CRM : buildMutant(MUTANTS[mutant], mutants),
  serviceCrm: CRM,
  seed,
  isEvidenceKept: mutant === undefined,
  print: (line) => console.error(line),
})
console.log(`seed ${seed}, ${Math.round((performance.now() - startedMs) / 1000)} s`)
for (const [name, count] of [...Object.entries(counts), ...met]) console.log(`${String(count).padStart(8)}  ${name}`)
for (const fault of faults) console.log(`FAULT: ${fault}`)
if (faults.length > 0) process.exitCode = 1
else
  console.log(
    `${counts.inDoubt === 0 ? 'every row exactly once' : 'no row twice, and all in doubt named'}; every account adds up`,
  )
