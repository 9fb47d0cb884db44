import { expect, test } from 'vitest'
import { OUTPUT_FORMATS } from '../../src/output/record-output.ts'
import { print } from './print-fixture.ts'

test.each(OUTPUT_FORMATS.filter((format) => format !== 'id'))(
  '%s rejects a record that is too deep to be shown, with a hint',
  async (format) => {
    const depth = 50_000
    const record = { id: 'a', name: JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) }
    await expect(print({ format }, [record])).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'a record is nested too deeply, or is too long, to be shown',
    })
  },
)
