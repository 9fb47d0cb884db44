import type { Answered, ListShape } from '../shape.ts'
import { numberIn, pageAt } from './slice.ts'

/** So many pages of 20, and a refusal in place of those behind them. */
function refusing(
  status: number,
  error: string | { readonly code: string },
  pages: number,
  right: ListShape['right'],
): ListShape {
  const holds = right === 'complete' ? 38 : 3000
  const json = typeof error === 'string' ? { error } : { ...error, message: 'Das ist zu weit.' }
  return {
    name: `page ${pages + 1} is ${status} ${typeof error === 'string' ? error : error.code}`,
    holds,
    answer: (asked, all): Answered => {
      const page = numberIn(asked, 'page', 1)
      if (page > pages) return { status, json }
      const { items } = pageAt(all, page, 20)
      return { json: { data: page === 2 ? items.slice(0, 18) : items } }
    },
    right,
  }
}

const OTHER = [
  [402, 'deep paging needs the enterprise plan'],
  [400, 'daily quota exceeded'],
  [422, 'page quota of your plan exceeded'],
  [410, 'scroll expired'],
  [409, 'busy'],
] as const

/** Refusals that say that the list has ended, and those that say something else. */
export const REFUSING: readonly ListShape[] = [
  ...OTHER.flatMap(([status, error]) => [1, 2].map((pages) => refusing(status, error, pages, 'refused'))),
  refusing(404, 'Invalid page.', 2, 'complete'),
  refusing(416, 'not satisfiable', 2, 'complete'),
  refusing(400, 'page must be at most 2', 2, 'complete'),
  refusing(422, 'The page number is out of range', 2, 'complete'),
  refusing(400, { code: 'rest_post_invalid_page_number' }, 2, 'complete'),
  refusing(422, { code: 'InvalidOffset' }, 2, 'complete'),
  ...[1, 2].flatMap((pages) =>
    ['page_limit_of_plan', 'PlanPageLimit', 'bad_request'].map((code) => refusing(400, { code }, pages, 'refused')),
  ),
]
