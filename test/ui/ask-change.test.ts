import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { takePage } from '../../src/ui/list/list-state.ts'
import { createTheme } from '../../src/ui/look/theme.ts'
import { searchedIn } from '../../src/ui/screens/all-screens.tsx'
import { withList } from '../../src/ui/state.ts'
import { diffText } from '../../src/ui/text/diff.ts'
import { inputText } from '../../src/ui/text/text-input.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { openClient } from '../api/client-fixture.ts'
import { drawFrame } from './draw-frame.tsx'
import { type TestUi, uiOf } from './ui-of.ts'

const STAGES: Readonly<Record<string, readonly string[]>> = {
  sales: ['Lead', 'Closed Won', 'Lost'],
  partners: ['Lead', 'Signed'],
}

const DEALS = [
  { id: 'deal_1', name: 'Engines', stage: 'Lead', amount: 100, pipeline_id: 'sales' },
  { id: 'deal_2', name: 'Looms', stage: 'Lead', amount: 200, pipeline_id: 'partners' },
]

async function dealsUi(deals: readonly (typeof DEALS)[number][], answer?: Promise<void>): Promise<TestUi> {
  const { url } = await startServer(async (response, { path }) => {
    await answer
    const names = STAGES[/pipelines\/(\w+)\/stages/.exec(path)?.[1] ?? ''] ?? []
    sendJson(response, 200, { data: names.map((name) => ({ id: name, name })), next_cursor: null })
  })
  const ui = await uiOf('deals', { openApi: async () => openClient(url).api })
  const page = { items: deals, nextCursor: undefined, searched: searchedIn('deals') }
  ui.store.update((state) => withList(state, 'deals', (list) => takePage(list, page)))
  return ui
}

function prompt({ store }: TestUi): { readonly text: string; readonly problem: string | undefined } | undefined {
  const { overlay } = store.get()
  return overlay?.type === 'prompt' ? { text: inputText(overlay.input), problem: overlay.problem } : undefined
}

function pressed(ui: TestUi, key: string): ReturnType<typeof prompt> {
  ui.press(key)
  return prompt(ui)
}

const planned = ({ store }: TestUi) => {
  const { overlay } = store.get()
  return overlay?.type === 'confirm' ? overlay.diff?.map(diffText) : undefined
}

test('b completes members, := for numbers, and the stages of the pipeline, whose blanks need no quotes', async () => {
  const ui = await dealsUi(DEALS.slice(0, 1))
  ui.press('b', ...'am', 'tab')
  expect(prompt(ui)?.text).toBe('amount:=')
  ui.press('ctrl-u', ...'stage=cl')
  await expect.poll(() => pressed(ui, 'tab')?.text).toBe('stage=Closed Won')
  ui.press('enter')
  expect(planned(ui)).toEqual(['Engines  stage: Lead -> Closed Won'])
})

test('b shows what can be typed', async () => {
  const ui = await dealsUi(DEALS.slice(0, 1))
  const shown = () =>
    drawFrame(ui.store.get(), { theme: createTheme('none'), keymap: ui.keymap, boards: ui.boards })
      .lines.map((line) => stripVTControlCharacters(line).trim())
      .at(-2)
  ui.press('b', ...'st')
  expect(shown()).toBe('stage=')
  ui.press(...'age=')
  await expect.poll(shown).toBe('Lead  Closed Won  Lost')
})

test('a stage that a pipeline of the rows does not have is refused, with those that it has', async () => {
  const ui = await dealsUi(DEALS)
  ui.press('A', 'b', ...'stage=Signed')
  await expect
    .poll(() => pressed(ui, 'enter')?.problem)
    .toBe('pipeline sales has no stage "Signed"; it has Lead, Closed Won, Lost')
  expect(planned(ui)).toBeUndefined()
})

test('until the stages are known, a stage is not taken', async () => {
  const answer = Promise.withResolvers<void>()
  const ui = await dealsUi(DEALS.slice(0, 1), answer.promise)
  ui.press('b', ...'stage=Wun', 'enter')
  expect(prompt(ui)?.problem).toBe('the stages of the pipeline are being loaded; Enter again checks it')
  answer.resolve()
  await expect.poll(() => pressed(ui, 'enter')?.problem).toMatch(/^pipeline sales has no stage "Wun"/)
})
