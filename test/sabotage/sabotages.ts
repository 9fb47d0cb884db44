import { CLIENT } from './client.ts'
import { COMMANDS } from './commands.ts'
import { CONNECTORS } from './connectors.ts'
import { DATA } from './data.ts'
import { DRAFTS } from './drafts.ts'
import { HABITS } from './habits.ts'
import { INPUT } from './input.ts'
import { JOBS } from './jobs.ts'
import { KEPT_MEMBERS } from './kept-members.ts'
import { LIBRARY } from './library.ts'
import { LISTS } from './lists.ts'
import { POSTGRES } from './postgres.ts'
import { PROBE } from './probe.ts'
import { PROVEN } from './proven.ts'
import { RECEIVER } from './receiver.ts'
import { RECORDS } from './records.ts'
import type { Sabotage } from './sabotage.ts'
import { SCREENS } from './screens.ts'
import { SERVICE } from './service.ts'
import { SETTINGS } from './settings.ts'

/** By the name of the file of each. */
export const AREAS: Readonly<Record<string, readonly Sabotage[]>> = {
  client: CLIENT,
  connectors: CONNECTORS,
  drafts: DRAFTS,
  library: LIBRARY,
  lists: LISTS,
  input: INPUT,
  jobs: JOBS,
  'kept-members': KEPT_MEMBERS,
  receiver: RECEIVER,
  service: SERVICE,
  postgres: POSTGRES,
  probe: PROBE,
  proven: PROVEN,
  records: RECORDS,
  commands: COMMANDS,
  data: DATA,
  settings: SETTINGS,
  screens: SCREENS,
  habits: HABITS,
}

export const SABOTAGES: readonly Sabotage[] = Object.values(AREAS).flat()

/** By the name of an area, else by a part of the name or of the path of the source; by no word are all. */
export function chosenBy(sabotage: Sabotage, words: readonly string[]): boolean {
  if (words.length === 0) return true
  return words.some((word) => {
    if (Object.hasOwn(AREAS, word)) return AREAS[word]?.includes(sabotage) === true
    return sabotage.name.includes(word) || sabotage.file.includes(word)
  })
}
