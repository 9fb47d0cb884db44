import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Option } from 'commander'
import { buildMutant } from '../test/torture/mutants.ts'
import { POSTGRES_MUTANT_NAMES, POSTGRES_MUTANTS } from '../test/torture/postgres/mutants.ts'
import { torture } from '../test/torture/postgres/torture.ts'
import { rigCommand, wholeNumber } from './torture-flags.ts'

interface Options {
  readonly kills: number
  readonly failovers: number
  readonly seed: number
  readonly mutant?: (typeof POSTGRES_MUTANT_NAMES)[number]
}

const CRM = fileURLToPath(new URL('../bin/crm.js', import.meta.url))
const MOST_SHOWN = 20
const { kills, failovers, seed, mutant } = rigCommand(
  'torture:postgres',
  'Writes, reads and delivers through three processes on a PostgreSQL that it starts itself, while processes and PostgreSQL are killed, halted and cut off from one another. Exits with 1 if something that was acknowledged is lost, or exists twice.',
)
  .option('--failovers <n>', 'how many kills end with another server, its standby until then', wholeNumber, 2)
  .addOption(
    new Option('--mutant <name>', 'a service that lacks a rule, which the run must detect').choices(
      POSTGRES_MUTANT_NAMES,
    ),
  )
  .parse()
  .opts<Options>()
const folder = mkdtempSync(join(tmpdir(), 'crm-mutant-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const startedMs = performance.now()
const { figures, met, faults } = await torture({
  crm: mutant === undefined ? CRM : buildMutant(POSTGRES_MUTANTS[mutant], folder),
  kills,
  failovers,
  seed,
  print: (line) => console.error(line),
})
console.log(`seed ${seed}, ${Math.round((performance.now() - startedMs) / 1000)} s`)
for (const [name, count] of [...Object.entries(figures), ...met]) console.log(`${String(count).padStart(8)}  ${name}`)
for (const fault of faults.slice(0, MOST_SHOWN)) console.log(`FAULT: ${fault}`)
if (faults.length > MOST_SHOWN) console.log(`and ${faults.length - MOST_SHOWN} more`)
if (faults.length > 0) process.exitCode = 1
else console.log('nothing lost, nothing twice, no gap in a list')
