import { fileURLToPath } from 'node:url'
import { doubledNames } from './exported-names.ts'
import { boundaryFaults } from './import-rules.ts'

/** Part of `npm run lint`: docs/decisions/0001-modules.md, for every file in src. */
const root = fileURLToPath(new URL('..', import.meta.url))
const faults = [...boundaryFaults(root), ...doubledNames(root)]
for (const { file, fault } of faults) console.error(`${file}: ${fault}`)
if (faults.length > 0) process.exitCode = 1
