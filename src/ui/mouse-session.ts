import { createMouse } from './mouse.ts'
import { MOUSE_OFF, MOUSE_ON, type MouseReport, watchMouse } from './mouse-input.ts'
import type { State, StateStore } from './state.ts'
import type { Ui } from './ui.ts'

/** The mouse of a terminal, for as long as the screens are open. */
export interface MouseSession {
  connect(ui: Ui): void
  /** Without reports, which another program would take for typed text. */
  without(during: () => Promise<void>): Promise<void>
  /** Turns the reports off; safe to call at any time. */
  end(): void
}

interface Parts {
  readonly store: StateStore<State>
  readonly stdin: NodeJS.ReadStream
  readonly write: (text: string) => void
}

export function openMouse({ store, stdin, write }: Parts): MouseSession {
  let take = (_: MouseReport): void => {}
  const stop = watchMouse(stdin, (report) => take(report))
  const turn = (sequence: string) => {
    if (store.get().isMouseOn) write(sequence)
  }
  turn(MOUSE_ON)
  return {
    connect: (ui) => {
      take = createMouse(ui)
    },
    without: async (during) => {
      turn(MOUSE_OFF)
      await during()
      turn(MOUSE_ON)
    },
    end: () => {
      turn(MOUSE_OFF)
      stop()
    },
  }
}
