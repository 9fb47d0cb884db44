import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Step } from './screen-svg.ts'
import { openTmux } from './tmux-screen.ts'

export const STEPS_SIZE = { columns: 100, rows: 26 }

const READ_SECONDS = 4

const CLEARED_AFTER_MS = 500

const ROWS = 20_000

/** After the first rows were sent. */
const KILLED_AFTER_MS = 1_500

/** Shown once some of the rows are sent. */
const UNDER_WAY = ' of 20,000'

/** Import, kill, the same command again, undo: each is what a shell shows after a real command. */
export async function bulkSteps(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Step[]> {
  writeFileSync(join(folder, 'people.csv'), peopleCsv())
  const shell = `env PS1='$ ' bash --norc --noprofile -i`
  const screen = openTmux('steps', shell, STEPS_SIZE, { ...env, CRM_PROFILE: 'local' })
  const steps: Step[] = []
  const show = (seconds = READ_SECONDS) => void steps.push({ text: screen.picture(), seconds })
  const command = async (text: string, sees: string) => {
    // In a line of its own, so that the picture shows the command.
    screen.type('clear')
    screen.press('Enter')
    await delay(CLEARED_AFTER_MS)
    screen.type(text)
    screen.press('Enter')
    await screen.sees(sees)
  }
  try {
    screen.type(`cd ${folder}; clear`)
    screen.press('Enter')
    await command('crm contacts import people.csv', UNDER_WAY)
    await delay(KILLED_AFTER_MS)
    show(2)
    screen.killRunning()
    await screen.sees('Killed')
    show()
    await command('crm contacts import people.csv', 'unsent')
    await delay(1_000)
    show()
    await command('crm jobs undo $(crm jobs list -o id --limit 1) --yes', 'unsent')
    await delay(1_000)
    show()
    return steps
  } finally {
    screen.close()
  }
}

function peopleCsv(): string {
  const rows = Array.from({ length: ROWS }, (_, n) => `Person ${n},person${n}@example.com,Company ${n % 500}`)
  return ['name,email,company', ...rows, ''].join('\n')
}
