// The peer of a plan: csv-parse makes a list of each line. Prints their number and the time without the start of the process.

import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

const [file] = process.argv.slice(2)
const startedMs = performance.now()
let count = 0
for await (const _ of createReadStream(file).pipe(parse())) count++
console.log(JSON.stringify({ count, tookMs: performance.now() - startedMs }))
