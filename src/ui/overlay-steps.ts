/** Lines per step; fewer than the smallest screen shows. */
const PAGE = 7

const STEPS: Readonly<Record<string, number>> = {
  ...{ j: 1, k: -1, g: -Infinity, home: -Infinity, G: Infinity, end: Infinity },
  ...{ space: PAGE, 'ctrl-d': PAGE, 'ctrl-f': PAGE, 'ctrl-u': -PAGE, 'ctrl-b': -PAGE },
}

const ARROWS: Readonly<Record<string, number>> = {
  ...{ down: 1, up: -1, 'ctrl-n': 1, 'ctrl-p': -1, pagedown: PAGE, pageup: -PAGE },
}

/** The lines that a key goes on where text is typed; 0 for a key that does not move. */
export function arrowStep(chord: string): number {
  return ARROWS[chord] ?? 0
}

/** As arrowStep, where letters are keys. */
export function stepOf(chord: string): number {
  return STEPS[chord] ?? arrowStep(chord)
}
