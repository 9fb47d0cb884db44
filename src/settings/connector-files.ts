import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensurePrivateFolder } from '../files/private-file.ts'
import { writePrivateFile } from '../files/replace-file.ts'

/** Where the connector of a profile stands: a name that is free, or has this text. `folder`: of the settings. */
export function connectorFile(folder: string, profile: string, text: string): string {
  for (let nth = 1; ; nth++) {
    const path = join(folder, 'connectors', nth === 1 ? `${profile}.yaml` : `${profile}-${nth}.yaml`)
    if (!existsSync(path) || readFileSync(path, 'utf8') === text) return path
  }
}

/** CrmError `machine` if this user may not write there. */
export async function writeConnector(path: string, text: string): Promise<void> {
  await ensurePrivateFolder(dirname(dirname(path)))
  await ensurePrivateFolder(dirname(path))
  await writePrivateFile(path, text)
}
