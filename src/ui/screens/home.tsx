import { Home } from '../components/home.tsx'
import type { ScreenEntry } from '../screen-entry.ts'

export const homeScreen: ScreenEntry = {
  title: 'Home',
  columns: [],
  body: ({ state, theme }) => <Home state={state} theme={theme} />,
}
