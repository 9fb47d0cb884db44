import { isPlaceRefused } from './beyond.ts'
import type { PageAnswer } from './page-answer.ts'
import type { Denied } from './page-next.ts'
import { areFurther, areShifted } from './same-records.ts'
import type { Open, Settled } from './settle.ts'

/**
 * One member says that the list ends, and another names a next page: that page is requested. The list ends when the page is
 * empty, refused, or a repetition; new records show that it goes on.
 */
export async function settleDenied(open: Open, denied: Denied): Promise<Settled> {
  const { page } = open.last
  const reason = `${page.nextAt} says that there are no more records, and ${denied.at} names a next page`
  for (const { position, parameter } of [{ position: denied.next, parameter: undefined }, ...denied.others]) {
    const next = await open.ask(position)
    if (!('refusal' in next)) {
      const found = whatCame(next.page, open)
      if (found === 'nothing') return { end: true }
      if (found === 'further') return { next, parameter }
      if (found === 'mixed') return { open: `${reason}, most of which came before` }
    } else if (!isPlaceRefused(next.refusal)) return { open: `${reason}: ${next.refusal.message}` }
  }
  return { end: true }
}

function whatCame({ items, next }: PageAnswer, { last, seen }: Open): 'nothing' | 'further' | 'known' | 'mixed' {
  if (items.length === 0) return next ? 'further' : 'nothing'
  if (seen.hasAll(items)) return 'known'
  const before = last.page.items
  return areFurther(items, before) || areShifted(items, before) ? 'further' : 'mixed'
}
