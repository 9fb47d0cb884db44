import type { Overlay } from './overlay.ts'
import type { Ui } from './ui.ts'

export function showOverlay({ store }: Pick<Ui, 'store'>, overlay: Overlay | undefined): void {
  store.update((state) => ({ ...state, overlay }))
}
