import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textWidth } from '../../src/output/terminal-text.ts'
import { headerLine } from '../../src/ui/components/bars.tsx'
import {
  askBackground,
  backgroundOf,
  createTheme,
  lookFrom,
  resultTone,
  THEMES,
  themeName,
  themeOf,
  toneOf,
} from '../../src/ui/look/theme.ts'
import { initialState } from '../../src/ui/state.ts'
import { uiOf } from './ui-of.ts'

const RICH = { TERM: 'xterm-256color' }

test.each([
  ['a dark background', { ...RICH, COLORFGBG: '15;0' }, true, 'dark'],
  ['a light background', { ...RICH, COLORFGBG: '0;default;15' }, true, 'light'],
  ['an unknown background', RICH, true, '16'],
  ['a terminal of 16 colours', { TERM: 'linux', COLORFGBG: '15;0' }, true, '16'],
  ['NO_COLOR', { ...RICH, COLORFGBG: '15;0' }, false, 'none'],
])('%s selects the theme', (_, env, hasColor, name) => {
  expect(themeName(lookFrom(env, hasColor, 'auto'))).toBe(name)
})

test('a chosen theme is used on every background, and never against NO_COLOR', () => {
  for (const name of THEMES) {
    expect(themeName(lookFrom({ ...RICH, COLORFGBG: '0;15' }, true, name))).toBe(name)
    expect(themeName(lookFrom(RICH, false, name))).toBe('none')
  }
})

test('the theme without colours selects no colour, and shows the cursor and a protected profile', () => {
  const { good, bad, warn, accent, dim, inverse, danger } = createTheme('none')
  expect([good, bad, warn, accent, dim].map((paint) => paint('x'))).toEqual(['x', 'x', 'x', 'x', 'x'])
  expect(inverse('x')).toBe('\x1b[7mx\x1b[27m')
  expect(danger('x')).toContain('\x1b[1;7m')
})

test('every paint ends what it begins', () => {
  for (const name of THEMES) {
    const { good, bad, warn, accent, dim, danger } = createTheme(name)
    for (const paint of [good, bad, warn, accent, dim, danger]) {
      const text = paint('x')
      const [begun = [], ended = []] = text.split('x').map((part) =>
        part
          .replace(/8;5;\d+/g, '0')
          .split(/[^\d]+/)
          .filter((code) => code !== ''),
      )
      const ends = begun.map((code) =>
        /^[12]$/.test(code) ? '22' : code === '7' ? '27' : /^4/.test(code) ? '49' : '39',
      )
      expect(new Set(ended)).toEqual(new Set(ends))
    }
  }
})

test('a protected profile is in the header at every width, which the header fills', () => {
  const place = { text: 'production https://crm.example/a/long/path', isProtected: true }
  const theme = createTheme('none')
  for (let columns = 60; columns <= 200; columns++) {
    const line = headerLine(initialState('pipelines', place, { columns, rows: 24 }), theme)
    expect(line).toContain(' PROTECTED production ')
    expect(line).toContain('Pipelines]')
    expect(textWidth(stripVTControlCharacters(line))).toBe(columns)
  }
})

test('profile and server are in the header at every width', () => {
  const place = { text: 'local http://127.0.0.1:4243', isProtected: false }
  for (let columns = 60; columns <= 140; columns++) {
    const line = headerLine(initialState('webhooks', place, { columns, rows: 24 }), createTheme('none'))
    expect(line).toContain('local http://127.0.0.1:4243')
  }
})

test('states, stages and counts of failures have a tone by what they mean', () => {
  const tones = (column: string, values: readonly (string | number)[]) => values.map((value) => toneOf(column, value))
  expect(tones('stage', ['Closed Won', 'Lost', 'Lead'])).toEqual(['good', 'dim', undefined])
  expect(tones('failed', [0, 3])).toEqual(['dim', 'bad'])
  expect(tones('state', ['finished', 'stopped', 'running 3 %', 'damaged'])).toEqual(['good', 'warn', 'accent', 'bad'])
  expect(tones('state', ['verified -> 503 x2, 200', 'verified -> 404', 'verified -> 200, 503 x2'])).toEqual([
    'good',
    'warn',
    'bad',
  ])
  expect(tones('state', ['UNVERIFIED', 'verified', 'verified -> no answer'])).toEqual(['warn', undefined, 'bad'])
  expect(['204', '429', '500', 'exit 1', 'exit 0', 'no answer'].map(resultTone)).toEqual([
    ...['good', 'warn', 'bad', 'bad', 'good', 'bad'],
  ])
})

test('the background is light or dark by its luminance, whatever the digits of the answer', () => {
  expect(backgroundOf(['ffff', 'ffff', 'ffff'])).toBe('light')
  expect(backgroundOf(['1d', '1f', '21'])).toBe('dark')
  expect(backgroundOf(['0', '0', 'f'])).toBe('dark')
  expect(backgroundOf(['f', 'f', '0'])).toBe('light')
})

/** What the screens read when these parts arrive, and what was answered. */
function readThrough(parts: readonly string[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  stdin.setEncoding('utf8')
  const answers: string[] = []
  const stop = askBackground({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    onAnswer: (background) => void answers.push(background),
  })
  let text = ''
  const drain = () => {
    for (let chunk = stdin.read(); chunk !== null; chunk = stdin.read()) text += chunk
  }
  for (const part of parts) {
    stdin.write(part)
    drain()
  }
  stop()
  drain()
  return { text, answers }
}

test('the answer of the terminal is taken out of the keys around it, in whatever parts it arrives', () => {
  const input = 'jj\x1b]11;rgb:ffff/ffff/ffff\x1b\\k\x1b[B'
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 28 }), (at) => {
      const { text, answers } = readThrough([input.slice(0, at), input.slice(at)])
      expect(answers).toEqual(['light'])
      expect(text).toBe('jjk\x1b[B')
    }),
  )
})

test('keys without an answer are read unchanged', () => {
  for (const parts of [['\x1b'], ['\x1b', '[A'], ['a', '\x1b]', 'x'], ['\x1b]11;rgb:zz\x07', 'q']]) {
    expect(readThrough(parts)).toEqual({ text: parts.join(''), answers: [] })
  }
})

test('colours are chosen with Ctrl-T, and shown at once', async () => {
  const ui = await uiOf('contacts')
  ui.store.update((state) => ({ ...state, look: lookFrom(RICH, true, 'auto') }))
  ui.press('ctrl-t', 'down', 'down', 'enter')
  expect(ui.store.get().look.choice).toBe('light')
  expect(themeOf(ui.store.get().look).accent('x')).toContain('38;5;25')
})
