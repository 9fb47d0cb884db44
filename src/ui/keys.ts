import type { Key } from 'ink'

/** A key by its name in bindings; `text` is the text that it types. */
export type Stroke = { readonly chord: string; readonly text: string | undefined }

const NAMED: Partial<Record<keyof Key, string>> = {
  ...{ upArrow: 'up', downArrow: 'down', leftArrow: 'left', rightArrow: 'right', pageUp: 'pageup' },
  ...{ pageDown: 'pagedown', home: 'home', end: 'end', return: 'enter', escape: 'esc' },
  ...{ backspace: 'backspace', delete: 'delete' },
}

const CONTROLS: Readonly<Record<string, string>> = { '\r': 'enter', '\n': 'enter', '\t': 'tab', ' ': 'space' }

/** One input can contain several keys: over a slow line `jjj` arrives at once, and `ab` followed by Enter. */
export function strokesOf(input: string, key: Key): readonly Stroke[] {
  if (key.tab) return [{ chord: key.shift ? 'shift-tab' : 'tab', text: undefined }]
  const named = Object.entries(NAMED).find(([flag]) => key[flag as keyof Key] === true)
  if (named) return [{ chord: named[1], text: undefined }]
  if (key.ctrl) return input === '' ? [] : [{ chord: `ctrl-${input}`, text: undefined }]
  // Also Esc followed quickly by a key, which `press` tells apart.
  if (key.meta && [...input].length === 1 && input > ' ') return [{ chord: `alt-${input}`, text: undefined }]
  if (key.meta) return [{ chord: 'esc', text: undefined }, ...typedStrokes(input)]
  return typedStrokes(input)
}

function typedStrokes(input: string): readonly Stroke[] {
  return Array.from(input, (char) => {
    const control = CONTROLS[char]
    if (control !== undefined) return { chord: control, text: char === ' ' ? ' ' : undefined }
    if (char === '\x7f' || char === '\b') return { chord: 'backspace', text: undefined }
    if (char < ' ') return { chord: `ctrl-${String.fromCharCode(char.charCodeAt(0) + 96)}`, text: undefined }
    return { chord: char, text: char }
  })
}
