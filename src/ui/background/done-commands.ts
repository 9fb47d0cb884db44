import type { JsonObject, JsonValue } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import { jsonText } from '../../output/safe-text.ts'
import { takePage } from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import { type State, type StateStore, withList } from '../state.ts'

/** A command line that a POSIX shell reads back as these words. */
export function commandText(words: readonly string[]): string {
  return ['crm', ...words].map((word) => (word === TARGET ? `"${TARGET}"` : shellWord(word))).join(' ')
}

/** In place of an address that may hold a secret. */
const TARGET = '$TARGET_URL'

/** An address for a command line; one with a password or a query may hold a secret, and becomes a variable. */
export function targetWord(url: string): string {
  return /[?@]/.test(url) ? TARGET : url
}

/** `--set` for each member; for names that `--set` would read otherwise, the words of `--data` with the record as input. */
export function memberWords(members: JsonObject): { readonly words: readonly string[]; readonly input?: string[] } {
  const entries = Object.entries(members)
  if (entries.some(([name]) => !/^[\w-]+$/.test(name))) return { words: ['--data', '-'], input: [plainJson(members)] }
  return { words: entries.flatMap(([name, value]) => ['--set', setText(name, value)]) }
}

function setText(name: string, value: JsonValue): string {
  return typeof value === 'string' && !hasControls(value) ? `${name}=${value}` : `${name}:=${plainJson(value)}`
}

/** What moves a cursor, begins a sequence or turns text around, in C0, C1 and the bidirectional controls. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

function hasControls(text: string): boolean {
  return text.search(CONTROLS) >= 0
}

/** JSON in one line, whose control characters are escapes. */
export function plainJson(value: JsonValue): string {
  return JSON.stringify(value).replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export type DoneCommands = ReturnType<typeof createDoneCommands>

const INPUT_ENDS = 'CRM_ROWS'

export function createDoneCommands(store: StateStore<State>, now: () => number) {
  const texts = new Map<string, string>()

  function keep(shown: string, text: string): void {
    const id = String(texts.size + 1)
    texts.set(id, text)
    const row = { id, time: new Date(now()).toTimeString().slice(0, 8), command: shown }
    const page = { items: [row], nextCursor: undefined, searched: searchedIn('commands') }
    store.update((state) => withList(state, 'commands', (list) => takePage(list, page)))
  }

  /** Something that no single command does; it becomes a comment. */
  const remark = (text: string) => keep(`# ${text}`, `# ${text}`)

  /** The words after `crm`; `input`: lines of its stdin. */
  function add(words: readonly string[], input?: readonly string[]): void {
    const { profile } = store.get().place
    const all = [...words, ...(profile === undefined ? [] : ['-p', profile])]
    // In a file that is shown with cat, they would control the terminal.
    if (all.some(hasControls)) return void remark(`a value has control characters: crm ${jsonText(all)}`)
    const command = commandText(all)
    if (!input) return void keep(command, command)
    keep(`${command}  # ${input.length} rows`, [`${command} <<'${INPUT_ENDS}'`, ...input, INPUT_ENDS].join('\n'))
  }

  return {
    add,
    addMembers: (words: readonly string[], members: JsonObject) => {
      const { words: set, input } = memberWords(members)
      add([...words, ...set], input)
    },
    remark,
    /** The whole text of a row: its command with its input. */
    scriptOf: (rowId: string) => texts.get(rowId) ?? '',
  }
}
