import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Loaded before the client: writes down how long each file was when it was last synced, so that what a power cut would
 * have taken can be taken. A file is known by its inode, because folders are renamed.
 */
const log = fs.openSync(process.env.TORTURE_SYNCED_LOG ?? '', 'a', 0o600)
const { writeSync, fstatSync } = fs

/** What is written while a sync runs may miss it: the length before it counts. */
function before(fd: number): () => void {
  const { ino, size } = fstatSync(fd)
  return () => writeSync(log, `${ino} ${size}\n`)
}

for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
  const sync = fs[name]
  fs[name] = (fd) => {
    const note = before(fd)
    sync(fd)
    note()
  }
}

for (const name of ['fsync', 'fdatasync'] as const) {
  const sync = fs[name]
  const noting = (fd: number, done: fs.NoParamCallback) => {
    const note = before(fd)
    sync(fd, (error) => {
      if (!error) note()
      done(error)
    })
  }
  fs[name] = Object.assign(noting, { __promisify__: sync.__promisify__ })
}

const anyHandle = await fs.promises.open('/dev/null')
const handles: Pick<fs.promises.FileHandle, 'sync' | 'datasync'> = Object.getPrototypeOf(anyHandle)
await anyHandle.close()
for (const name of ['sync', 'datasync'] as const) {
  const sync = handles[name]
  handles[name] = async function (this: fs.promises.FileHandle) {
    const note = before(this.fd)
    await sync.call(this)
    note()
  }
}
syncBuiltinESMExports()
