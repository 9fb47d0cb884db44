import { open } from 'node:fs/promises'
import { platform } from 'node:os'

/** Waits until names that were created or changed in the folder are on disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder.
  if (platform() === 'win32') return
  await using folder = await open(path)
  await folder.sync()
}
