// The peers for readers: reads all rows of a file with the usual packages. Prints their number and the time without the start of
// the process. papaparse and csv-parse make a list of each line; readline and JSON.parse an object.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parse } from 'csv-parse'
import Papa from 'papaparse'

const PEERS = {
  papaparse: (file) =>
    new Promise((resolve, reject) => {
      let count = 0
      Papa.parse(createReadStream(file), {
        chunk: ({ data }) => {
          count += data.length
        },
        complete: () => resolve(count),
        error: reject,
      })
    }),
  'csv-parse': async (file) => {
    let count = 0
    for await (const _ of createReadStream(file).pipe(parse())) count++
    return count
  },
  'JSON.parse': async (file) => {
    let count = 0
    for await (const line of createInterface({ input: createReadStream(file) })) if (JSON.parse(line)) count++
    return count
  },
}

const [peer, file] = process.argv.slice(2)
const startedMs = performance.now()
const count = await PEERS[peer](file)
console.log(JSON.stringify({ count, tookMs: performance.now() - startedMs, peakKib: process.resourceUsage().maxRSS }))
