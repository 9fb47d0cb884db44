import type { ScreenName } from '../screens.ts'
import type { Command } from './command.ts'

export interface Keymap {
  readonly commands: readonly Command[]
  keysOf(id: string): readonly string[]
  /** What the chords mean on a screen: a command, the beginning of one, or nothing. */
  lookUp(screen: ScreenName, chords: string): Command | 'begins' | undefined
}

/** Keys of a user's own, by the id of a command; they replace the command's keys. */
export type Rebound = Readonly<Record<string, readonly string[]>>

export function createKeymap(commands: readonly Command[], rebound: Rebound): Keymap {
  const keysOf = (command: Command) => rebound[command.id] ?? command.keys
  const isOn = (command: Command, screen: ScreenName) => command.screens?.includes(screen) ?? true
  return {
    commands,
    keysOf: (id) => {
      const command = commands.find((each) => each.id === id)
      return command ? keysOf(command) : []
    },
    lookUp: (screen, chords) => {
      const here = commands.filter((command) => isOn(command, screen))
      const command = here.find((each) => keysOf(each).includes(chords))
      if (command) return command
      return here.some((each) => keysOf(each).some((keys) => keys.startsWith(`${chords} `))) ? 'begins' : undefined
    },
  }
}

/** Keys that mean two commands on one screen, or a command and the beginning of another. */
export function clashes({ commands, keysOf }: Keymap, screens: readonly ScreenName[]): readonly string[] {
  const found: string[] = []
  for (const screen of screens) {
    const taken = new Map<string, string>()
    for (const { id, screens: on } of commands) {
      if (on && !on.includes(screen)) continue
      for (const keys of keysOf(id)) {
        const other = taken.get(keys) ?? [...taken].find(([each]) => each.startsWith(`${keys} `))?.[1]
        if (other !== undefined && other !== id) found.push(`${keys} on ${screen}: ${other} and ${id}`)
        taken.set(keys, id)
      }
    }
  }
  return found
}

const SHOWN: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  enter: 'Enter',
  esc: 'Esc',
  space: 'Space',
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
}

/** `ctrl-d` as a person reads it. */
export function keyLabel(keys: string): string {
  return keys
    .split(' ')
    .map((chord) => SHOWN[chord] ?? chord.replace(/^ctrl-(.)$/, (_, letter: string) => `Ctrl-${letter.toUpperCase()}`))
    .join('')
}
