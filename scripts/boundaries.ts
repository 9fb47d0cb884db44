import { fileURLToPath } from 'node:url'
import { boundaryFaults } from './import-rules.ts'

/** Part of `npm run lint`: docs/decisions/0001-modules.md, for every file in src. */
const faults = boundaryFaults(fileURLToPath(new URL('..', import.meta.url)))
for (const { file, fault } of faults) console.error(`${file}: ${fault}`)
if (faults.length > 0) process.exitCode = 1
