import { writeFileSync } from 'node:fs'
import { licencesText, shippedPackages } from './shipped-packages.ts'

/** Writes docs/licences.md from the last build and the lockfile. */
writeFileSync(new URL('../docs/licences.md', import.meta.url), licencesText(shippedPackages()))
