import { fileURLToPath } from 'node:url'
import { doubledNames } from './exported-names.ts'
import { boundaryFaults } from './import-rules.ts'
import { packageFaults } from './package-rules.ts'

/** Part of `npm run lint`: docs/decisions/0001-modules.md for every file in src, and 0003-dependencies.md for all code. */
const root = fileURLToPath(new URL('..', import.meta.url))
const faults = [...boundaryFaults(root), ...doubledNames(root), ...packageFaults(root)]
for (const { file, fault } of faults) console.error(`${file}: ${fault}`)
if (faults.length > 0) process.exitCode = 1
