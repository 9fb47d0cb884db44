import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildMutant, MUTANT_NAMES } from '../test/torture/mutants.ts'
import { SERVER_KINDS } from '../test/torture/server-kind.ts'
import { torture } from '../test/torture/torture.ts'

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
const values = readFlags()
const mutants = mkdtempSync(join(tmpdir(), 'crm-mutant-'))
process.on('exit', () => rmSync(mutants, { recursive: true, force: true }))

function readFlags() {
  const { values } = parsedFlags()
  if (values.help) {
    process.stdout.write(USAGE)
    process.exit(0)
  }
  return {
    ...values,
    mutant: values.mutant === undefined ? undefined : oneOf(MUTANT_NAMES, '--mutant', values.mutant),
    server: oneOf(SERVER_KINDS, '--server', values.server),
    kills: wholeNumber('--kills', values.kills),
    rows: wholeNumber('--rows', values.rows),
    seed: wholeNumber('--seed', values.seed),
  }
}

function parsedFlags() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        kills: { type: 'string', default: '200' },
        rows: { type: 'string', default: '5000' },
        seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
        harsh: { type: 'boolean', default: false },
        mutant: { type: 'string' },
        server: { type: 'string', default: 'keeps-keys' },
      },
    })
  } catch (error) {
    return misused((error as Error).message)
  }
}

function oneOf<Name extends string>(names: readonly Name[], flag: string, value: string): Name {
  return names.find((name) => name === value) ?? misused(`${flag} ${value} is not one of ${names.join(', ')}`)
}

function wholeNumber(flag: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : misused(`${flag} ${text} is not a whole number`)
}

function misused(message: string): never {
  process.stderr.write(`torture: ${message}\n\n${USAGE}`)
  process.exit(2)
}

const startedMs = performance.now()
const { met, faults, ...counts } = await torture({
  crm: values.mutant === undefined ? CRM : buildMutant(values.mutant, mutants),
  serviceCrm: CRM,
  serverKind: values.server,
  kills: values.kills,
  rows: values.rows,
  seed: values.seed,
  isHarsh: values.harsh,
  isEvidenceKept: values.mutant === undefined,
  print: (line) => console.error(line),
})
console.log(`seed ${values.seed}, ${Math.round((performance.now() - startedMs) / 1000)} s`)
for (const [name, count] of [...Object.entries(counts), ...met]) console.log(`${String(count).padStart(8)}  ${name}`)
for (const fault of faults) console.log(`FAULT: ${fault}`)
if (faults.length > 0) process.exitCode = 1
else
  console.log(
    `${counts.inDoubt === 0 ? 'every row exactly once' : 'no row twice, and all in doubt named'}; every account adds up`,
  )
