import { describe, expect, test } from 'vitest'
import { startForeign } from './run-shape.ts'
import type { CommandShape } from './shape.ts'
import { LIST_COMMANDS } from './shapes/list-commands.ts'
import { SLASHES } from './shapes/slashes.ts'
import { WRITE_ANSWERS } from './shapes/write-answers.ts'
import { WRITES_CONFIRMED } from './shapes/write-confirmed.ts'
import { WRITES_NOT_DONE } from './shapes/write-not-done.ts'
import { WRITE_REFUSALS } from './shapes/write-refusals.ts'

/** Each file of shapes in a line. */
const SHAPES: Readonly<Record<string, readonly CommandShape[]>> = {
  lists: LIST_COMMANDS,
  writes: WRITE_ANSWERS,
  'writes that are refused or doubtful': WRITE_REFUSALS,
  'writes that look done': WRITES_NOT_DONE,
  'writes that are done': WRITES_CONFIRMED,
  'trailing slashes': SLASHES,
}

for (const [group, shapes] of Object.entries(SHAPES)) {
  describe(group, () => {
    test.each(shapes)('$name', async ({ argv, stdin, answer, settings, right }) => {
      const { crm, seen } = await startForeign(answer, settings)
      const { exit, stdout, stderr } = await crm(argv, stdin)
      expect(exit, stdout + stderr).toBe(right.exit)
      if (right.stdout !== undefined) expect(stdout).toEqual(matching(right.stdout))
      if (right.stderr !== undefined) expect(stderr).toEqual(matching(right.stderr))
      const writes = seen.filter(({ method, path }) => method !== 'GET' && !path.includes('graphql'))
      if (right.writes !== undefined) expect(writes).toHaveLength(right.writes)
    })
  })
}

function matching(wanted: string | RegExp): unknown {
  return typeof wanted === 'string' ? wanted : expect.stringMatching(wanted)
}
