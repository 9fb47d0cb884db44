import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSettings, type Settings } from '../../src/settings/settings.ts'
import { tempFolder } from '../files/temp-folder.ts'

export interface SettingsFixture {
  readonly folder: string
  readonly settings: Settings
  /** Writes the file as another process or an editor would. */
  writeConfig(config: unknown): Promise<void>
  writeKeys(keys: unknown): Promise<void>
  readJson(name: 'config' | 'keys'): Promise<unknown>
}

export async function settingsFixture(config?: unknown, keys?: unknown): Promise<SettingsFixture> {
  const folder = await tempFolder()
  const write = (name: string, value: unknown): Promise<void> =>
    writeFile(join(folder, `${name}.json`), typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 })
  if (config !== undefined) await write('config', config)
  if (keys !== undefined) await write('keys', keys)
  return {
    folder,
    settings: openSettings({ CRM_CONFIG_HOME: folder }),
    writeConfig: (value) => write('config', value),
    writeKeys: (value) => write('keys', value),
    readJson: async (name) => JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')),
  }
}
