import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isInstalled, runSuite } from '../../scripts/clients/conformance/run-suite.ts'
import { type Language, readAreas, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { tempFolder } from '../harness/home.ts'

const CLIENTS = fileURLToPath(new URL('../../clients', import.meta.url))

interface Planted {
  readonly what: string
  readonly file: string
  readonly text: string
  readonly faulty: string
  readonly area: string
  /** A scenario that must find it. */
  readonly foundBy: string
}

const PLANTED: readonly Planted[] = [
  {
    what: 'a retry has another idempotency key',
    file: 'transport.py',
    text: 'headers["Idempotency-Key"] = call.idempotency_key',
    faulty: 'headers["Idempotency-Key"] = str(uuid.uuid4())',
    area: 'lost answers',
    foundBy: 'a create whose answer is lost happens once',
  },
  {
    what: 'the second of three pages is skipped',
    file: 'paging.py',
    text: 'yield Page(items,',
    faulty: 'if len(seen) != 2 or following is None: yield Page(items,',
    area: 'paging',
    foundBy: 'every record of several pages is listed once, by the cursor',
  },
  {
    what: 'a signature is compared by its beginning',
    file: 'signatures.py',
    text: 'hmac.compare_digest(one, each)',
    faulty: 'each[:16] == one[:16]',
    area: 'webhooks',
    foundBy: 'a signature that differs only at its end is refused',
  },
  {
    what: 'a next page at another origin is requested there',
    file: 'paging.py',
    text: 'if f"{url.scheme}://{url.netloc}".lower() != origin.lower():',
    faulty: 'if not url.netloc:',
    area: 'paging',
    foundBy: 'a next address at another origin is an error, and gets no request',
  },
  {
    what: 'Retry-After is ignored',
    file: 'transport.py',
    text: 'wait = asked + limits.jitter() if asked else',
    faulty: 'wait = limits.jitter() if asked else',
    area: 'rate limits',
    foundBy: 'Retry-After in seconds is honoured',
  },
  {
    what: 'the key that a server repeats is in the error',
    file: 'transport.py',
    text: 'return text.replace(self._key.text, "[key]")',
    faulty: 'return text',
    area: 'the key',
    foundBy: 'a server that repeats the key does not put it into an error',
  },
]

/** A copy of the clients, with one text of the Python client replaced. */
function faultyCopy({ file, text, faulty }: Planted): string {
  const folder = tempFolder()
  cpSync(CLIENTS, join(folder, 'clients'), { recursive: true })
  const path = join(folder, 'clients/python/crm_client', file)
  const parts = readFileSync(path, 'utf8').split(text)
  expect(parts, `${file} contains ${text} once`).toHaveLength(2)
  writeFileSync(path, parts.join(faulty))
  return folder
}

const python = readLanguages().python as Language
const isThere = isInstalled(python)

describe.skipIf(!isThere)(`faults in the Python client${isThere ? '' : ' (skipped: Python is not installed)'}`, () => {
  test.each(PLANTED)('the suite finds that $what', async (planted) => {
    const areas = readAreas().filter(({ area }) => area === planted.area)
    const results = await runSuite(areas, python, faultyCopy(planted))
    const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)
    expect(failed).toContain(planted.foundBy)
    // Not because nothing works.
    expect(failed.length).toBeLessThan(results.length)
  })
})
