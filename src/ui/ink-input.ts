import { render, useApp, useInput, usePaste } from 'ink'
import { createElement, useMemo } from 'react'
import { strokesOf } from './keys.ts'
import { paste, press } from './press.ts'
import type { Ui } from './ui.ts'

export interface InputParts {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly makeUi: (terminal: Pick<Ui, 'suspend' | 'quit'>) => Ui
  readonly afterKey: () => void
}

/** What ends the screens, and tells that they ended. */
export interface InputSession {
  unmount(): void
  waitUntilExit(): Promise<unknown>
}

/** Ink has the modes of the terminal and its input; the frames are painted beside it, so it draws nothing. */
function Keys({ makeUi, afterKey }: InputParts): null {
  const { exit, suspendTerminal } = useApp()
  const ui = useMemo(
    () => makeUi({ suspend: (during) => suspendTerminal(during), quit: () => exit() }),
    [makeUi, exit, suspendTerminal],
  )
  useInput((input, key) => {
    for (const stroke of strokesOf(input, key)) press(ui, stroke)
    afterKey()
  })
  usePaste((text) => {
    paste(ui, text)
    afterKey()
  })
  return null
}

export function openInput(input: InputParts): InputSession {
  return render(createElement(Keys, input), {
    stdin: input.stdin,
    stdout: input.stdout,
    alternateScreen: true,
    exitOnCtrlC: false,
    interactive: true,
  })
}
