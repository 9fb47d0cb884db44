import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileIn, startForeign } from '../../foreign/run-shape.ts'

test('an edited row whose create is in doubt is not created anew, and the error names what settles it', async () => {
  const made: string[] = []
  const contacts: { id: string; [name: string]: string }[] = []
  const { crm, folder } = await startForeign(
    ({ method, path, body }) => {
      if (!path.startsWith('/v1/contacts')) return { status: 404, json: {} }
      if (method === 'GET') return { json: { data: contacts, next_cursor: null } }
      const row = JSON.parse(body)
      if (row.name === 'Cyd') return { status: 422, json: {} }
      made.push(row.name)
      const record = { id: `c_${made.length}`, ...row, created_at: new Date().toISOString() }
      // The server keeps another name than the one that was sent.
      contacts.push(row.name === 'Bob' ? { ...record, name: 'Robert' } : record)
      return row.name === 'Bob' ? { status: 500, json: {} } : { status: 201, json: record }
    },
    { 'wire.request_life': '1s', 'wire.idempotency': 'none' },
  )
  const rows = fileIn(folder, 'rows.csv', 'email,name\nada@x.test,Ada\nbob@x.test,Bob\ncyd@x.test,Cyd\n')
  const first = await crm(['contacts', 'import', rows, '--yes', '-o', 'json'])
  expect(first.exit, first.stderr).toBe(3)
  expect(JSON.parse(first.stdout)).toMatchObject({ done: 1, in_doubt: 1, failed: 1 })
  const [job] = JSON.parse((await crm(['jobs', 'list', '-o', 'json'])).stdout)
  const shown = JSON.parse((await crm(['jobs', 'show', job.id, '-o', 'json'])).stdout)
  const failed = join(String(shown.folder), 'failed.csv')
  const sent = made.length
  const edited = readFileSync(failed, 'utf8').replace(',Cyd\n', ',Cy\n').replace(',Bob\n', ',Bobby\n')
  writeFileSync(failed, edited)
  const refused = await crm(['jobs', 'retry', job.id, '--from', failed, '--yes'])
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining(`is in doubt in ${job.id}`) })
  expect(refused.stderr).toContain(`crm jobs resume ${job.id}`)
  expect(made).toHaveLength(sent)
  writeFileSync(
    failed,
    edited
      .split('\n')
      .filter((line) => !line.includes('Bobby'))
      .join('\n'),
  )
  expect(await crm(['jobs', 'retry', job.id, '--from', failed, '--yes'])).toMatchObject({ exit: 0 })
  expect(made.slice(sent)).toEqual(['Cy'])
})
