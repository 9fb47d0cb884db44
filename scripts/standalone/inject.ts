import { chmodSync, copyFileSync, readFileSync } from 'node:fs'
import { inject } from 'postject'

/** Where Node looks for an application inside its own file: https://nodejs.org/api/single-executable-applications.html */
const OPTIONS = { sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2', machoSegmentName: 'NODE_SEA' }

interface Parts {
  readonly node: string
  readonly blob: string
  readonly program: string
}

/** Writes `program`: a copy of `node` that runs the blob. */
export async function injectBlob({ node, blob, program }: Parts): Promise<void> {
  copyFileSync(node, program)
  chmodSync(program, 0o755)
  await inject(program, 'NODE_SEA_BLOB', readFileSync(blob), OPTIONS)
}
