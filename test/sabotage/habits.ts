import type { Sabotage } from './sabotage.ts'

export const HABITS: readonly Sabotage[] = [
  {
    name: 'a count is taken by keys that change data',
    file: 'src/ui/counts.ts',
    line: 'if (!count || action.takesCount) return void runAction(ui, action, count && Number(count.digits))',
    to: 'runAction(ui, action, count && Number(count.digits))',
    tests: ['test/ui/counts.test.ts'],
  },
  {
    name: 'a digit opens its screen although a key that it counts came after it',
    file: 'src/ui/counts.ts',
    line: 'if (count === next && !overlay) runAlone(ui, next)',
    to: 'if (!overlay) runAlone(ui, next)',
    tests: ['test/ui/counts.test.ts'],
  },
  {
    name: 'a profile is switched while requests of this one are sent',
    file: 'src/ui/actions/leave.ts',
    line: 'const stop = isSending && next !== undefined ? {} : stopOptions(ui, leaving, then)',
    to: 'const stop = stopOptions(ui, leaving, then)',
    tests: ['test/ui/command-line.test.ts'],
  },
  {
    name: 'a profile is switched without a check that it exists',
    file: 'src/ui/actions/switch-profile.ts',
    line: 'await world.profiles?.check(name)',
    to: '',
    tests: ['test/ui/command-line.test.ts'],
  },
  {
    name: ':deals with a filter that cannot be read opens all deals',
    file: 'src/ui/overlay-palette.ts',
    line: 'const problem = lineRefusal(ui, line)',
    to: 'const problem = undefined',
    tests: ['test/ui/command-line.test.ts'],
  },
  {
    name: 'control characters of a value are written to the log of commands',
    file: 'src/ui/background/done-commands.ts',
    line: 'if (all.some(hasControls)) return void remark(`a value has control characters: crm ${jsonText(all)}`)',
    to: '',
    tests: ['test/ui/command-log.test.ts'],
  },
  {
    name: 'a script replaces an existing file',
    file: 'src/ui/actions/command-log.ts',
    line: "await writeFile(path, `${[...head, linesOf(ui, rows)].join('\\n')}\\n`, { flag: 'wx', mode: 0o600 })",
    to: "await writeFile(path, `${[...head, linesOf(ui, rows)].join('\\n')}\\n`, { mode: 0o600 })",
    tests: ['test/ui/command-log.test.ts'],
  },
  {
    name: 'the secret of an address is written to the log of commands',
    file: 'src/ui/text/command-words.ts',
    line: 'return /[?@]/.test(url) ? TARGET : url',
    to: 'return url',
    tests: ['test/ui/command-log.test.ts'],
  },
  {
    name: 'a report of the mouse that is cut is typed as keys',
    file: 'src/ui/mouse-input.ts',
    line: "held = BEGINNING.exec(rest)?.[0] ?? ''",
    to: "held = ''",
    tests: ['test/ui/mouse.test.ts'],
  },
  {
    name: 'one click answers a choice, instead of two',
    file: 'src/ui/mouse.ts',
    line: "if (isDouble) return void pressInOverlay(ui, overlay, { chord: 'enter', text: undefined })",
    to: "return void pressInOverlay(ui, overlay, { chord: 'enter', text: undefined })",
    tests: ['test/ui/mouse.test.ts'],
  },
]
