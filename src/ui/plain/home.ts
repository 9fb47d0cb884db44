import { loadHome } from '../actions/open-screen.ts'
import type { HomeRow } from '../home/section.ts'
import { homeSections } from '../home/sections.ts'
import type { Plain } from './plain.ts'

/** Says the figures of the home screen, one a line. */
export async function sayHome({ store, background, world, say }: Plain): Promise<void> {
  await loadHome({ store, background, world })
  for (const { title, basis, rows, notes } of homeSections(store.get()).flat()) {
    say(`${title}: ${basis}.`)
    for (const row of rows) say(`  ${rowText(row)}`)
    for (const note of notes) say(`  ${note}`)
  }
}

function rowText({ label, values }: HomeRow): string {
  return `${label}: ${values.filter((value) => value !== '').join(', ')}`
}
