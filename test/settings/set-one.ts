import { openSettings } from '../../src/settings/settings.ts'

/** A process that stores a few keys, one after the other, in the folder named on its command line. */
const [folder = '', name = ''] = process.argv.slice(2)
const settings = openSettings({ CRM_CONFIG_HOME: folder })
for (const turn of [1, 2, 3, 4, 5]) {
  await settings.setSetting(`${name}${turn}`, 'base_url', 'https://a.example')
  await settings.storeKey(`${name}${turn}`, { origin: 'https://a.example', key: `${name}${turn}` })
}
