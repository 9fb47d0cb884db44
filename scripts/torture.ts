import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Option } from 'commander'
import { HAS_STRACE } from '../test/torture/call-record.ts'
import { buildMutant, MUTANT_NAMES, MUTANTS } from '../test/torture/mutants.ts'
import { SERVER_KINDS } from '../test/torture/server-kind.ts'
import { torture } from '../test/torture/torture.ts'
import { rigCommand, wholeNumber } from './torture-flags.ts'

interface Options {
  readonly kills: number
  readonly rows: number
  readonly seed: number
  readonly harsh: boolean
  readonly server: (typeof SERVER_KINDS)[number]
  readonly mutant?: (typeof MUTANT_NAMES)[number]
}

const CRM = fileURLToPath(new URL('../bin/crm.js', import.meta.url))
const { mutant, server, kills, rows, harsh, seed } = rigCommand(
  'torture',
  'Imports rows through a proxy that breaks things, under kill -9, power cuts and a clock that jumps. Exits with 1 if a row exists twice or is missing, or if an account does not add up.',
)
  .option('--rows <n>', 'rows of each import', wholeNumber, 5000)
  .option('--harsh', 'breaks more', false)
  .addOption(new Option('--server <kind>', 'what the server keeps').choices(SERVER_KINDS).default('keeps-keys'))
  .addOption(
    new Option('--mutant <name>', 'a client that lacks a rule, which the run must detect').choices(MUTANT_NAMES),
  )
  .parse()
  .opts<Options>()
if (!HAS_STRACE) {
  console.error('strace is not installed, or may not trace here: no power cut can be made without its record')
  process.exit(2)
}
const mutants = mkdtempSync(join(tmpdir(), 'crm-mutant-'))
process.on('exit', () => rmSync(mutants, { recursive: true, force: true }))

const startedMs = performance.now()
const { met, faults, ...counts } = await torture({
  ...{ serverKind: server, kills, rows, isHarsh: harsh },
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
