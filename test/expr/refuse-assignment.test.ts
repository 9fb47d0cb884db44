import { expect, test } from 'vitest'
import { refuseAssignment } from '../../src/expr/expression.ts'

test.each(['.company = "x"', '.amount>1 and .company="x"', '.a |= 1', '.a += 1', '.a //= 1', '.b == 1 | .a = 2'])(
  '%s is rejected as a condition, and the hint names the comparison',
  (text) => {
    expect(() => refuseAssignment(text)).toThrow(
      expect.objectContaining({ code: 'usage', details: { hint: expect.stringContaining('== compares') } }),
    )
  },
)

test.each([
  '.company == "x"',
  '.a >= 1 and .b <= 2 and .c != 3',
  '.name == "a = b"',
  '.a |= ascii_downcase | .a == "x"',
  'def low: .a |= ascii_downcase; low.a == "x"',
  'reduce .tags[] as $tag (0; . += 1) > 2',
  '.a == 1 # not =',
])('%s is a condition', (text) => {
  expect(() => refuseAssignment(text)).not.toThrow()
})
