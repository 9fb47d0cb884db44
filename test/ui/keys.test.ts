import type { Key } from 'ink'
import { expect, test } from 'vitest'
import { ACTIONS } from '../../src/ui/actions/all-actions.ts'
import { clashes, createKeymap, keyLabel } from '../../src/ui/actions/keymap.ts'
import { strokesOf } from '../../src/ui/keys.ts'
import { SCREENS } from '../../src/ui/screens.ts'

const PLAIN = { ctrl: false, meta: false, shift: false } as Key

test('no keys have two actions on one screen, and no action occurs twice', () => {
  expect(clashes(createKeymap(ACTIONS, {}), SCREENS)).toEqual([])
  expect(new Set(ACTIONS.map(({ id }) => id)).size).toBe(ACTIONS.length)
})

test('conflicting keys of a user are named with both actions', () => {
  const [clash] = clashes(createKeymap(ACTIONS, { delete: ['j'] }), ['contacts'])
  expect(clash).toMatch(/j on contacts: delete and down/)
})

test('every action can be reached with keys that a terminal over ssh sends: no function keys', () => {
  for (const { keys } of ACTIONS) for (const key of keys) expect(key).toMatch(/^[\x20-\x7e]+$/)
  expect(ACTIONS.flatMap(({ keys }) => keys).filter((key) => /^f\d/.test(key))).toEqual([])
})

test('a user’s keys replace the ones of the action', () => {
  const keymap = createKeymap(ACTIONS, { delete: ['X'] })
  expect(keymap.lookUp('contacts', 'd')).toBeUndefined()
  expect(keymap.lookUp('contacts', 'X')).toMatchObject({ id: 'delete' })
})

test('the first key of a sequence begins it', () => {
  const keymap = createKeymap(ACTIONS, {})
  expect(keymap.lookUp('contacts', 'g')).toBe('begins')
  expect(keymap.lookUp('contacts', 'g g')).toMatchObject({ id: 'first' })
})

test('jjj in one chunk is three keys, and ab followed by Enter ends with Enter', () => {
  expect(strokesOf('jjj', PLAIN).map(({ chord }) => chord)).toEqual(['j', 'j', 'j'])
  expect(strokesOf('ab\r', PLAIN).map(({ chord }) => chord)).toEqual(['a', 'b', 'enter'])
})

test('keys are shown by their usual names', () => {
  expect(['ctrl-d', 'g g', 'space'].map(keyLabel)).toEqual(['Ctrl-D', 'gg', 'Space'])
})
