import { expect, test } from 'vitest'
import { promptSheet } from '../../src/ui/draw/sheet.ts'
import { createTheme } from '../../src/ui/draw/theme.ts'
import type { Prompt } from '../../src/ui/overlay.ts'
import { pressInOverlay } from '../../src/ui/overlay-keys.ts'
import { textInput } from '../../src/ui/text/text-input.ts'
import { uiOf } from './ui-of.ts'

test('a rejected text is kept, with the reason below the line, until it is changed', async () => {
  const taken: string[] = []
  const prompt: Prompt = {
    type: 'prompt',
    label: 'Deals where:',
    input: textInput('Won'),
    refusal: (text) => (text.includes('=') ? undefined : `${text} is not a filter`),
    onSubmit: (text) => taken.push(text),
  }
  const ui = await uiOf('deals')
  const press = (chord: string, text?: string) => {
    const { overlay } = ui.store.get()
    if (overlay) pressInOverlay(ui, overlay, { chord, text })
    return ui.store.get().overlay
  }
  ui.store.update((state) => ({ ...state, overlay: prompt }))
  const refused = press('enter')
  expect(refused).toMatchObject({ type: 'prompt', problem: 'Won is not a filter' })
  const { lines, cursor } = promptSheet(refused as Prompt, 60, createTheme(false))
  expect(lines.map((line) => line.trimEnd())).toEqual([
    expect.stringContaining('Deals where: Won'),
    ' ! Won is not a filter',
  ])
  expect(cursor?.y).toBe(0)
  expect(taken).toEqual([])
  expect(press('=', '=')).toMatchObject({ problem: undefined })
  expect(press('enter')).toBeUndefined()
  expect(taken).toEqual(['Won='])
})
