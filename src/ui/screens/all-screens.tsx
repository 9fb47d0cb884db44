import type { ListColumn } from '../list/columns.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { FixedScreen, ListName, ScreenName, ServerList } from '../screens.ts'
import { commandsScreen } from './commands.tsx'
import { contactsScreen } from './contacts.tsx'
import { dealsScreen } from './deals.tsx'
import { eventsScreen } from './events.tsx'
import { homeScreen } from './home.tsx'
import { jobsScreen } from './jobs.tsx'
import { logScreen } from './log.tsx'
import { objectScreen } from './objects.tsx'
import { pipelinesScreen } from './pipelines.tsx'
import { webhooksScreen } from './webhooks.tsx'

/** A new screen is a file and a line here, and its name in the order of the tabs. */
const ENTRIES: Readonly<Record<FixedScreen, ScreenEntry>> = {
  home: homeScreen,
  contacts: contactsScreen,
  deals: dealsScreen,
  pipelines: pipelinesScreen,
  events: eventsScreen,
  jobs: jobsScreen,
  webhooks: webhooksScreen,
  log: logScreen,
  commands: commandsScreen,
}

export function entryOf(screen: ScreenName): ScreenEntry {
  const fixed: Partial<Record<ScreenName, ScreenEntry>> = ENTRIES
  return fixed[screen] ?? objectScreen(screen as ServerList)
}

export function titleOf(screen: ScreenName): string {
  return entryOf(screen).title
}

export function columnsOf(list: ListName): readonly ListColumn[] {
  return entryOf(list).columns
}

/** Members that `/` searches. */
export function searchedIn(list: ListName): readonly string[] {
  const { searched, columns } = entryOf(list)
  return searched ?? columns.flatMap(({ name, kind }) => (kind === 'time' ? [] : [name]))
}
