import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { JOINED } from '../src/loader/bundle.ts'

/** Of the code of a build, in `dist/cli`: what V8 made of another one is not used with it. */
export function buildDigest(folder: string): string {
  const digest = createHash('sha256')
  for (const name of readdirSync(join(folder, 'chunks'))
    .toSorted()
    .map((file) => `chunks/${file}`)
    .concat('main.js', ...Object.values(JOINED)))
    digest
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0')
  return digest.digest('hex').slice(0, 32)
}
