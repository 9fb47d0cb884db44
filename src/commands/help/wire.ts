import { SETTING_KEYS, SETTINGS } from '../../settings/setting.ts'
import type { HelpTopic } from './help-topic.ts'

export const WIRE_TOPIC: HelpTopic = {
  title: 'Settings of the wire',
  parts: [
    'crm recognises from the answers how a server pages its lists, limits and refuses requests. Settings of the profile describe what it does not recognise: crm config set wire.page_size 50 -p NAME. An empty value makes it recognised again where that is the default.',
    {
      rows: SETTING_KEYS.filter((key) => key.startsWith('wire.')).map((key) => [key, describe(SETTINGS[key])] as const),
    },
    'crm config list shows what is set. Beside CRM_API_KEY and CRM_BASE_URL these settings count when CRM_PROFILE names a profile of that server.',
  ],
}

function describe({ meaning, defaultValue }: (typeof SETTINGS)[keyof typeof SETTINGS]): string {
  return defaultValue === null ? meaning : `${meaning} (default: ${defaultValue})`
}
