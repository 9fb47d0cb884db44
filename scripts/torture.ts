import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildMutant, MUTANT_NAMES } from '../test/torture/mutants.ts'
import { SERVER_KINDS, type ServerKind } from '../test/torture/server-kind.ts'
import { torture } from '../test/torture/torture.ts'

/**
 * `npm run torture -- --kills N [--rows 5000] [--seed S] [--server keeps-keys|forgets|blind]`: imports through a proxy that breaks things, under kill -9, power
 * cuts and a clock that jumps; exits with 1 if a row exists twice or is missing, or if an account does not add up. With
 * `--mutant NAME` the client lacks a rule, and the run must detect that.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    rows: { type: 'string', default: '5000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    harsh: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    server: { type: 'string', default: 'keeps-keys' },
  },
})

const CRM = fileURLToPath(new URL('../bin/crm.js', import.meta.url))
const mutants = mkdtempSync(join(tmpdir(), 'crm-mutant-'))
process.on('exit', () => rmSync(mutants, { recursive: true, force: true }))

function clientCrm(): string {
  const { mutant } = values
  if (mutant === undefined) return CRM
  const name = MUTANT_NAMES.find((each) => each === mutant)
  if (!name) throw new Error(`there is no mutant ${mutant}; expected ${MUTANT_NAMES.join(', ')}`)
  return buildMutant(name, mutants)
}

function serverKind(): ServerKind {
  const kind = SERVER_KINDS.find((each) => each === values.server)
  if (!kind) throw new Error(`there is no server ${values.server}; expected ${SERVER_KINDS.join(', ')}`)
  return kind
}

const startedMs = performance.now()
const { met, faults, ...counts } = await torture({
  crm: clientCrm(),
  serviceCrm: CRM,
  serverKind: serverKind(),
  kills: Number(values.kills),
  rows: Number(values.rows),
  seed: Number(values.seed),
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
