import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { playWeek } from '../test/nights/week.ts'
import { wholeNumber } from './torture-flags.ts'

const CRM = fileURLToPath(new URL('../bin/crm.js', import.meta.url))
const { rows, seed } = new Command('npm run nights --')
  .description('Runs the line of docs/nightly.md for seven nights. Exits with 1 if a morning is not as the rules say.')
  .option('--rows <n>', 'rows of the file', wholeNumber, 2000)
  .option('--seed <n>', 'repeats an earlier run', wholeNumber, Date.now() % 1_000_000)
  .parse()
  .opts<{ rows: number; seed: number }>()

const startedMs = performance.now()
const { faults, met } = await playWeek({ crm: CRM, rows, seed, print: (line) => console.error(line) })
console.log(`seed ${seed}, ${Math.round((performance.now() - startedMs) / 1000)} s`)
for (const [name, count] of Object.entries(met)) console.log(`${String(count).padStart(8)}  ${name}`)
for (const fault of faults) console.log(`FAULT: ${fault}`)
if (faults.length > 0) process.exitCode = 1
