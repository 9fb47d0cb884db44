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
]
