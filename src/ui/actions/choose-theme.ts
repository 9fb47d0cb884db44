import { THEME_CHOICES, type ThemeChoice } from '../look/look.ts'
import { showOverlay } from '../show-overlay.ts'
import type { Action, Ui } from '../ui.ts'

const TITLES: Readonly<Record<ThemeChoice, string>> = {
  auto: 'By the background of the terminal',
  dark: 'Dark, 256 colours',
  light: 'Light, 256 colours',
  contrast: 'High contrast',
  '16': 'The 16 colours of the terminal',
  none: 'No colours',
}

export const LOOKS: readonly Action[] = [
  {
    id: 'theme',
    title: 'Choose the colours: dark, light, high contrast, 16 colours, none',
    keys: ['ctrl-t'],
    refusal: ({ look }) => (look.colors === 'none' ? 'NO_COLOR or --color never is set' : undefined),
    run: chooseTheme,
  },
]

/** Shown at once, and remembered for all profiles. */
function chooseTheme(ui: Ui): void {
  const { store, world, background } = ui
  const { choice } = store.get().look
  const choose = async (option: string) => {
    const chosen = THEME_CHOICES.find((each) => TITLES[each] === option) ?? 'auto'
    store.update((state) => ({ ...state, look: { ...state.look, choice: chosen } }))
    try {
      await world.setTheme(chosen)
    } catch (error) {
      background.notices.problem(error, 'Not remembered: ')
    }
  }
  showOverlay(ui, {
    type: 'choice',
    title: 'Colours',
    options: THEME_CHOICES.map((each) => TITLES[each]),
    index: THEME_CHOICES.indexOf(choice),
    onChoose: (option) => void choose(option),
  })
}
