import { CrmError } from '../core/errors.ts'

/** How a member of two records is compared. */
export type Comparison = 'exact' | 'normalised' | 'similar'

export interface KeyPart {
  readonly member: string
  readonly comparison: Comparison
}

/** What makes two records duplicates: all its parts agree. */
export interface MatchKey {
  /** As typed: `name~+company`. */
  readonly text: string
  readonly parts: readonly KeyPart[]
}

const COMPARISONS: Readonly<Record<string, Comparison>> = { '=': 'exact', '~': 'similar' }

/** `email,phone,name~+company`; CrmError `usage` for an empty key, one named twice, or one with two similar members. */
export function parseMatchKeys(text: string): readonly MatchKey[] {
  const keys = text.split(',').map((each) => parseKey(each.trim(), text))
  const twice = keys.find(({ text: one }, at) => keys.findIndex((key) => key.text === one) < at)
  if (twice) throw wrongKey(text, `${twice.text} is named twice`)
  return keys
}

function parseKey(text: string, all: string): MatchKey {
  const parts = text.split('+').map((part): KeyPart => {
    const sign = COMPARISONS[part.at(-1) ?? '']
    const member = (sign ? part.slice(0, -1) : part).trim()
    if (member === '') throw wrongKey(all, 'a member is empty')
    return { member, comparison: sign ?? 'normalised' }
  })
  if (parts.filter(({ comparison }) => comparison === 'similar').length > 1)
    throw wrongKey(all, `${text} has two members with ~`)
  return { text, parts }
}

function wrongKey(text: string, why: string): CrmError {
  return new CrmError('usage', `--by ${JSON.stringify(text)}: ${why}`, {
    hint: 'expected members such as email,phone,name~ (= compares exactly, ~ by similarity, + needs both)',
  })
}
