import { expect, test } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { createApi } from '../../src/api/client.ts'
import { defaultProfile } from '../../src/settings/profile.ts'
import { learnOffered } from '../../src/ui/background/learn-offered.ts'
import { countRequests } from '../harness/request-counter.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { uiOf } from './ui-of.ts'

/** The deals screen at a service, whose OpenAPI document is hidden if `hidden`. */
async function dealsScreen(isHidden: boolean) {
  const service = await serveForTest()
  const { url } = await countRequests(
    service.url,
    undefined,
    isHidden ? { paths: /openapi|swagger/, status: 404 } : undefined,
  )
  const { json } = await service.send('POST', '/v1/deals', { name: 'Engines', stage: 'Lead' })
  const api: Api = createApi({
    ...{
      baseUrl: new URL(url),
      key: service.key.text,
      wire: defaultProfile(url).wire,
      userAgent: 'test',
      now: Date.now,
    },
    ...{ timeoutMs: 5000, maxWaitMs: 0, signal: new AbortController().signal, debug: undefined, onWait: undefined },
  })
  const openApi = async () => api
  const ui = await uiOf('deals', { openApi })
  await learnOffered(ui.store, openApi)
  return { service, ui, deal: json }
}

test('a deal is deleted where the server has the request', async () => {
  const { service, ui, deal } = await dealsScreen(false)
  expect(ui.store.get().offered.lacks).toEqual({})
  ui.background.deletions.add('deals', [deal as never])
  await ui.background.deletions.flush()
  expect((await service.send('GET', '/v1/deals')).json.data).toEqual([])
})

test('the key that deletes a deal says that a server cannot, and the form of a new one says it, too', async () => {
  const { ui } = await dealsScreen(true)
  ui.press('d')
  expect(ui.store.get().overlay).toBeUndefined()
  expect(ui.store.get().toasts.at(-1)?.text).toContain('this server has no request that deletes deals')
  ui.press('n')
  expect(ui.store.get().overlay).toMatchObject({ title: 'New deal (deals cannot be deleted)' })
})

test('the form of a new deal says nothing about deletion where the server deletes deals', async () => {
  const { ui } = await dealsScreen(false)
  ui.press('n')
  expect(ui.store.get().overlay).toMatchObject({ title: 'New deal' })
})
