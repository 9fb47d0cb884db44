import type { CommandWords, FlagWords, ValueWords, Vocabulary } from './words.ts'

/** What can be typed at the cursor. */
export interface Wanted {
  /** The part of the word under the cursor that is kept, such as `--fields=`. */
  readonly head: string
  /** The typed part of the rest. */
  readonly rest: string
  readonly choice:
    | { readonly type: 'commands'; readonly commands: CommandWords['commands'] }
    | { readonly type: 'flags'; readonly flags: readonly FlagWords[] }
    | { readonly type: 'value'; readonly value: ValueWords }
  /** The profile named before the cursor. */
  readonly profile: string | undefined
}

interface Reading {
  command: CommandWords
  /** The number of arguments before the cursor. */
  argumentCount: number
  areFlagsOver: boolean
  profile: string | undefined
}

/** `words` follow `crm`; the last one is under the cursor. */
export function wantedAt(vocabulary: Vocabulary, words: readonly string[]): Wanted {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  // `help` shows the help of the command that follows, and takes no flags.
  if (before[0] === 'help') return wantedHelp(vocabulary, before.slice(1), current)
  const reading: Reading = { command: vocabulary.root, argumentCount: 0, areFlagsOver: false, profile: undefined }
  const waiting = readWords(reading, vocabulary, before)
  const wanted = (head: string, choice: Wanted['choice']): Wanted => ({
    head,
    rest: current.slice(head.length),
    choice,
    profile: reading.profile,
  })
  if (waiting) return wanted('', { type: 'value', value: waiting })
  if (!reading.areFlagsOver && current.startsWith('-')) {
    const [, name = ''] = /^(--[^=]+)=/.exec(current) ?? []
    const value = flagNamed(reading.command, vocabulary, name)?.value
    if (value) return wanted(`${name}=`, { type: 'value', value })
    return wanted('', { type: 'flags', flags: flagsAt(reading.command, vocabulary) })
  }
  const { command, argumentCount } = reading
  const { commands, values, isLastRepeated } = command
  if (argumentCount === 0 && Object.keys(commands).length > 0) return wanted('', { type: 'commands', commands })
  const value = values[argumentCount] ?? (isLastRepeated ? values.at(-1) : undefined) ?? []
  return wanted('', { type: 'value', value })
}

/** The value that the last word expects, when it is a flag that takes one. */
function readWords(reading: Reading, vocabulary: Vocabulary, words: readonly string[]): ValueWords | undefined {
  let waiting: FlagWords | undefined
  for (const word of words) {
    if (waiting) {
      noteProfile(reading, waiting, word)
      waiting = undefined
    } else if (!reading.areFlagsOver && word.startsWith('-') && word !== '-') {
      waiting = readFlag(reading, vocabulary, word)
    } else readWord(reading, word)
  }
  return waiting?.value
}

function readFlag(reading: Reading, vocabulary: Vocabulary, word: string): FlagWords | undefined {
  if (word === '--') {
    reading.areFlagsOver = true
    return undefined
  }
  const [name = '', value] = word.split(/=(.*)/s)
  const flag = flagNamed(reading.command, vocabulary, name)
  if (!flag?.value) return undefined
  if (value === undefined) return flag
  noteProfile(reading, flag, value)
  return undefined
}

function readWord(reading: Reading, word: string): void {
  const { commands } = reading.command
  const child = Object.hasOwn(commands, word) && reading.argumentCount === 0 ? commands[word] : undefined
  if (child) reading.command = child
  else reading.argumentCount++
}

function noteProfile(reading: Reading, { value }: FlagWords, name: string): void {
  if (value && 'type' in value && value.type === 'profile') reading.profile = name
}

/** A flag of the command takes precedence over a global flag of that name. */
function flagsAt({ flags }: CommandWords, { globals }: Vocabulary): readonly FlagWords[] {
  const own = new Set(flags.flatMap(({ names }) => names))
  return [...flags, ...globals.filter(({ names }) => !names.some((name) => own.has(name)))]
}

function flagNamed(command: CommandWords, vocabulary: Vocabulary, name: string): FlagWords | undefined {
  return flagsAt(command, vocabulary).find(({ names }) => names.includes(name))
}

function wantedHelp({ root }: Vocabulary, path: readonly string[], rest: string): Wanted {
  let command: CommandWords | undefined = root
  for (const word of path)
    command = command && Object.hasOwn(command.commands, word) ? command.commands[word] : undefined
  return { head: '', rest, choice: { type: 'commands', commands: command?.commands ?? {} }, profile: undefined }
}
