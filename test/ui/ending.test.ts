import { expect, test } from 'vitest'
import { Uncaught, type WatchProcess } from '../../src/core/errors.ts'
import { watchEnding } from '../../src/ui/closing.ts'

function ending() {
  const done: string[] = []
  let on: Parameters<WatchProcess>[0] | undefined
  const watchProcess: WatchProcess = (handlers) => {
    on = handlers
    return () => done.push('closed')
  }
  const watched = watchEnding({
    watchProcess,
    keep: () => done.push('kept'),
    stop: () => {
      done.push('stopped')
    },
    lastWords: () => done.push('last words'),
  })
  return { watched, done, uncaught: (error: unknown) => on?.uncaught(error), exit: () => on?.exit() }
}

test('after an uncaught error changes are kept first, then all is stopped; later errors do not replace the first', async () => {
  const { watched, done, uncaught } = ending()
  const bug = new Error('broken')
  uncaught(bug)
  uncaught(new Error('broken by that'))
  await watched.broken
  expect(done).toEqual(['kept', 'stopped'])
  expect(watched.bug()).toBeInstanceOf(Uncaught)
  expect(watched.bug()?.cause).toBe(bug)
  watched.close()
  expect(done.at(-1)).toBe('closed')
})

test('a process that exits keeps changes, and names the requests without an answer', () => {
  const { watched, done, exit } = ending()
  exit()
  expect(done).toEqual(['kept', 'last words'])
  expect(watched.bug()).toBeUndefined()
})
