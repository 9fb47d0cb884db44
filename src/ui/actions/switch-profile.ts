import type { Ui } from '../ui.ts'
import { leave } from './leave.ts'

/** Opens the screens of another profile, after the question that leaving asks. */
export async function switchProfile(ui: Ui, name: string): Promise<void> {
  const { world, background } = ui
  try {
    await world.profiles?.check(name)
  } catch (error) {
    return background.notices.problem(error, 'Profile not changed: ')
  }
  // Something else was opened in the meantime.
  if (!ui.store.get().overlay) leave(ui, name)
}
