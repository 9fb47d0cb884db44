import { expect, test } from 'vitest'
import { FORMATS } from '../../src/output/format.ts'
import { print } from './print-fixture.ts'

test.each(FORMATS.filter((format) => format !== 'id'))(
  '%s refuses a record that is too deep to be shown, and names a way out',
  async (format) => {
    const depth = 50_000
    const record = { id: 'a', name: JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) }
    await expect(print({ format }, [record])).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'a record is nested too deep, or is too long, to be shown',
    })
  },
)
