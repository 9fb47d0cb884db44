import type { JsonObject } from '../../core/json.ts'
import { jsonText } from '../../output/safe-text.ts'
import { takePage } from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import { type State, type StateStore, withList } from '../state.ts'
import { commandText, hasControls, memberWords } from '../text/command-words.ts'

/** The command lines that do what was done on the screens. */
export interface DoneCommands {
  /** The words after `crm`; `input`: lines of its stdin. */
  add(words: readonly string[], input?: readonly string[]): void
  /** Adds `--set` for each member. */
  addMembers(words: readonly string[], members: JsonObject): void
  /** Something that no single command does; it becomes a comment. */
  remark(text: string): void
  /** The whole text of a row: its command with its input. */
  scriptOf(rowId: string): string
}

const INPUT_ENDS = 'CRM_ROWS'

export function createDoneCommands(store: StateStore<State>, now: () => number): DoneCommands {
  const texts = new Map<string, string>()

  function keep(shown: string, text: string): void {
    const id = String(texts.size + 1)
    texts.set(id, text)
    const row = { id, time: new Date(now()).toTimeString().slice(0, 8), command: shown }
    const page = { items: [row], nextCursor: undefined, searched: searchedIn('commands') }
    store.update((state) => withList(state, 'commands', (list) => takePage(list, page)))
  }

  const remark = (text: string) => keep(`# ${text}`, `# ${text}`)

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
    addMembers: (words, members) => {
      const { words: set, input } = memberWords(members)
      add([...words, ...set], input)
    },
    remark,
    scriptOf: (rowId) => texts.get(rowId) ?? '',
  }
}
