import { open } from 'node:fs/promises'
import { CrmError } from '../core/errors.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'
import { replaceFile } from '../files/replace-file.ts'

/** Of XML, and of no file that crm reads. */
const BEGIN = '<'

/** Wholly or not at all. CrmError `machine` if it cannot be written. */
export async function writeReportFile(path: string, text: string): Promise<void> {
  await replaceFile(path, async ({ stream }) => {
    stream.write(text)
  })
}

/** Throws a CrmError `usage` for a file that exists and is no report, such as one that the command reads. */
export async function requireReportFile(path: string): Promise<void> {
  const begin = await beginOf(path)
  if (begin === '' || begin === BEGIN) return
  throw new CrmError('usage', `--report junit=${path}: the file exists, and is not a report`, {
    hint: 'name a new file, or the report of an earlier run: --report junit=report.xml',
  })
}

/** Empty for a file that does not exist, and for a pipe or a device. */
async function beginOf(path: string): Promise<string> {
  try {
    await using file = await open(path, 'r')
    if (!(await file.stat()).isFile()) return ''
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGIN.length), 0, BEGIN.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw toMachineError(error, path)
  }
}
