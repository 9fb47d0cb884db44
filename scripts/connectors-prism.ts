import { existsSync } from 'node:fs'
import { PRISM } from '../test/harness/prism.ts'
import { hasMiss, judgeFolder, operationTable } from './vendor-mocks/results.ts'

/**
 * `npm run connectors:prism -- FOLDER`: mocks the vendors' OpenAPI documents of a folder, and runs the operations of the contract
 * through the shipped connectors. Exits with 1 if an operation that a vendor offers does not work, with 2 if nothing can be run.
 */
const [folder] = process.argv.slice(2)

if (folder === undefined || !existsSync(folder)) {
  end(
    `${folder === undefined ? 'no folder is named' : `there is no folder ${folder}`}: npm run connectors:prism -- FOLDER`,
  )
}
if (!existsSync(PRISM)) end('Prism is not installed: (cd tools/judges && npm ci)')
const found = await judgeFolder(folder)
for (const sentence of found.left) console.error(sentence)
if (found.judged.length === 0) end(`nothing was run from ${folder}`)
console.log(operationTable(found))
process.exitCode = hasMiss(found) ? 1 : 0

function end(reason: string): never {
  console.error(reason)
  process.exit(2)
}
