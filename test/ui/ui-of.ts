import { onTestFinished } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { CrmError } from '../../src/core/errors.ts'
import { ACTIONS } from '../../src/ui/actions/all-actions.ts'
import { createKeymap } from '../../src/ui/actions/keymap.ts'
import { createBackground } from '../../src/ui/background/background.ts'
import type { BackgroundWorld } from '../../src/ui/background/parts.ts'
import { createBoards } from '../../src/ui/board.ts'
import type { Stroke } from '../../src/ui/keys.ts'
import { press } from '../../src/ui/press.ts'
import { withFirstColumns } from '../../src/ui/screens/all-screens.tsx'
import type { ScreenName } from '../../src/ui/screens.ts'
import { createStore, initialState } from '../../src/ui/state.ts'
import type { Ui, World } from '../../src/ui/ui.ts'
import type { UserKey } from '../../src/ui/user-keys/read-user-keys.ts'
import { userActions } from '../../src/ui/user-keys/user-actions.ts'
import { tempFolder } from '../files/temp-folder.ts'

export interface TestUi extends Ui {
  readonly quits: string[]
  readonly redraws: { readonly count: number }
  /** `a b` is two keys; typed text is one key per letter. */
  press(...keys: readonly string[]): void
}

const NO_SERVER = () => Promise.reject(new CrmError('unreachable', 'no server of the test', { hint: 'there is none' }))

/** The screens without a terminal: a test presses keys and reads the state. */
export async function uiOf(
  screen: ScreenName,
  world: Partial<BackgroundWorld & Pick<World, 'profiles'> & Pick<Ui, 'isDrawn'>> = {},
  userKeys: readonly UserKey[] = [],
): Promise<TestUi> {
  const env = { HOME: await tempFolder() }
  const openApi: () => Promise<Api> = world.openApi ?? NO_SERVER
  const place = { text: 'test http://crm.test', isProtected: false }
  const store = createStore(withFirstColumns(initialState(screen, place, { columns: 120, rows: 40 })))
  const background = createBackground(store, {
    ...{ openApi, env, now: Date.now, openJobs: NO_SERVER, live: undefined },
    senders: { replay: NO_SERVER, trigger: NO_SERVER },
    ...{ changes: undefined, findRecords: NO_SERVER, signal: new AbortController().signal },
    refreshEveryMs: undefined,
    ...world,
  })
  onTestFinished(async () => {
    await background.shell.close()
    background.following.close()
    background.events.close()
    background.jobs.close()
    background.notices.close()
  })
  const quits: string[] = []
  const redraws = { count: 0 }
  const ui: Ui = {
    ...{ store, background, keymap: createKeymap([...ACTIONS, ...userActions(userKeys)], {}), boards: createBoards() },
    world: {
      ...{ openApi, env, now: Date.now, sendsTo: undefined, profileFlag: undefined },
      ...{
        writeRaw: () => {},
        pauseProcess: undefined,
        runCrm: async () => 0,
        setTheme: async () => {},
        setFirst: async () => {},
        setSaved: async () => {},
        profiles: world.profiles,
      },
    },
    suspend: async (during) => during(),
    redraw: () => void redraws.count++,
    isDrawn: world.isDrawn ?? (() => true),
    quit: (pending = 'keep', next) => void quits.push(next === undefined ? pending : `${pending} ${next}`),
  }
  return { ...ui, quits, redraws, press: (...keys) => void keys.map((key) => press(ui, strokeOf(key))) }
}

function strokeOf(key: string): Stroke {
  return { chord: key === ' ' ? 'space' : key, text: key.length === 1 ? key : undefined }
}
