import { expect, test } from 'vitest'
import { isOptOut } from '../../src/core/consent.ts'

test.each([
  ['DoNotCall', true],
  ['HasOptedOutOfEmail', true],
  ['hs_email_optout', 'true'],
  ['do_not_contact', 'yes'],
  ['unsubscribed', 1],
  ['newsletter', false],
  ['email_opt_in', 'no'],
  ['marketing_status', 'unsubscribed'],
])('%s with %j is an opt-out', (name, value) => expect(isOptOut(name, value)).toBe(true))

test.each([
  ['DoNotCall', false],
  ['DoNotCall', null],
  ['hs_email_optout', 'false'],
  ['newsletter', true],
  ['newsletter', null],
  ['marketing_status', 'subscribed'],
  ['company', 'No'],
  ['callout', 'yes'],
])('%s with %j is none', (name, value) => expect(isOptOut(name, value)).toBe(false))
