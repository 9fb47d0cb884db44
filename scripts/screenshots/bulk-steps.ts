import { setTimeout as delay } from 'node:timers/promises'
import type { Step } from './screen-svg.ts'
import { openTmux } from './tmux-screen.ts'

export const STEPS_SIZE = { columns: 100, rows: 26 }

const READ_SECONDS = 4

/** Some of the rows are sent by then. */
const KILLED_AFTER_MS = 3_000

/** Plan, kill, resume, undo: each is what a shell shows after a real command. */
export async function bulkSteps(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Step[]> {
  const shell = `env PS1='$ ' bash --norc --noprofile -i`
  const screen = openTmux('steps', shell, STEPS_SIZE, { ...env, CRM_PROFILE: 'local' })
  const steps: Step[] = []
  const show = (seconds = READ_SECONDS) => void steps.push({ text: screen.picture(), seconds })
  const command = async (text: string, sees: string) => {
    screen.type(`clear; ${text}`)
    screen.press('Enter')
    await screen.sees(sees)
  }
  try {
    screen.type(`cd ${folder}; clear`)
    screen.press('Enter')
    await command(`crm contacts update --where '.company == "Acme GmbH"' --set company=Acme --rate-share 5%`, '[y/N]')
    show()
    screen.type('y')
    screen.press('Enter')
    await delay(KILLED_AFTER_MS)
    show(1)
    screen.killRunning()
    await screen.sees('Killed')
    show()
    await command('crm jobs resume $(crm jobs list -o id --limit 1)', 'done')
    await delay(1_000)
    show()
    await command('crm jobs undo $(crm jobs list -o id --limit 1) --yes', 'done')
    await delay(1_000)
    show()
    return steps
  } finally {
    screen.close()
  }
}
