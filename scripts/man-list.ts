import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * `man-list.ts add`, before the package is packed, names every man page in package.json, and `man-list.ts remove` takes the list
 * out again: npm links the pages that the list names, not those of a folder (`directories.man`).
 */
const root = new URL('..', import.meta.url)
const file = new URL('package.json', root)

const { man: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
const pages = readdirSync(new URL('man', root))
  .toSorted()
  .map((name) => `./man/${name}`)
const written = process.argv[2] === 'add' ? { ...manifest, man: pages } : manifest
writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`)
