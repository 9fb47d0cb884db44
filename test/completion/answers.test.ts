import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readVocabulary } from '../../scripts/read-vocabulary.ts'
import { answerTo, type Suggestion, type Suggestions } from '../../src/completion/candidates.ts'
import { eventIds } from '../../src/completion/complete.ts'
import { type Known, NOTHING_KNOWN } from '../../src/completion/known.ts'
import { wantedAt } from '../../src/completion/wanted.ts'
import { attemptAt, homeWith } from '../commands/webhooks/kept-events.ts'
import { emptyHome } from '../harness/home.ts'
import { sampleEvent } from '../webhooks/sample-event.ts'

const vocabulary = await readVocabulary()

describe('words of the command line', () => {
  test('commands are offered with their descriptions, and subcommands after their noun', async () => {
    expect(await candidatesAt([''])).toContainEqual({
      word: 'deals',
      about: 'list, read, create, change and delete deals',
    })
    expect(await wordsAt([''])).toContain('help')
    expect(await wordsAt(['contacts', ''])).toEqual(
      expect.arrayContaining(['list', 'get', 'create', 'update', 'delete', 'export', 'import']),
    )
  })

  test('only commands are offered after help', async () => {
    expect(await wordsAt(['help', 'pipelines', ''])).toEqual(['list', 'stages'])
    expect(await wordsAt(['help', 'nix', ''])).toEqual([])
  })

  test('the flags of the command are offered, and each global flag once', async () => {
    const flags = await wordsAt(['webhooks', 'wait', '-'])
    expect(flags).toEqual(expect.arrayContaining(['--count', '-o', '--output', '--timeout']))
    expect(flags.filter((flag) => flag === '--timeout')).toHaveLength(1)
    expect(await wordsAt(['auth', 'switch', '-'])).not.toContain('--limit')
  })

  test('no flags are offered after --', async () => {
    expect(await answerAt(['sandbox', 'run', '--', '-'])).toMatchObject({ candidates: 'files' })
  })

  test('values of a flag are offered after a blank and after =', async () => {
    expect(await wordsAt(['contacts', 'list', '-o', ''])).toContain('jsonl')
    expect(await answerAt(['contacts', 'list', '--color=a'])).toMatchObject({
      head: '--color=',
      candidates: [{ word: 'auto' }, { word: 'always' }, { word: 'never' }],
    })
    expect(await wordsAt(['browse', ''])).toContain('pipelines')
    expect(await wordsAt(['api', ''])).toContain('PATCH')
  })

  test('a flag without a value takes none, and the value of a flag is not counted as an argument', async () => {
    const known = { ids: { contact: [['con_1', 'Ada']] } } as const
    expect(await wordsAt(['contacts', 'get', '--debug', ''], known)).toEqual(['con_1'])
    expect(await wordsAt(['contacts', 'get', '-o', 'json', ''], known)).toEqual(['con_1'])
    expect(await wordsAt(['contacts', 'update', 'con_1', ''], known)).toEqual([])
    expect(await wordsAt(['contacts', 'delete', 'con_1', ''], known)).toEqual(['con_1'])
  })

  test('files are offered where a file is read or written', async () => {
    for (const words of [
      ['contacts', 'import', ''],
      ['contacts', 'create', '--data', ''],
      ['apply', ''],
      ['diff', 'a', ''],
      ['fixtures', 'plan', 'a.yaml', ''],
      ['serve', '--database', ''],
    ]) {
      expect(await answerAt(words)).toEqual({ head: '', candidates: 'files', isOpen: false })
    }
    expect(await answerAt(['contacts', 'create', '--data=x'])).toMatchObject({ head: '--data=', candidates: 'files' })
  })
})

describe('data of this machine', () => {
  test('events of the log are offered where one is shown, replayed or sent again', async () => {
    const offered = [{ word: 'evt_2', about: 'deal.updated deal_1' }]
    expect(await candidatesAt(['webhooks', 'events', 'show', ''])).toEqual(offered)
    expect(await candidatesAt(['webhooks', 'replay', 'evt_1', ''])).toEqual(offered)
    expect(await candidatesAt(['webhooks', 'resend', 'wh_1', ''])).toEqual(offered)
    expect(await candidatesAt(['webhooks', 'get', ''])).toEqual([])
  })

  test('profiles are offered with their addresses', async () => {
    expect(await candidatesAt(['auth', 'switch', ''])).toEqual([
      { word: 'local', about: 'http://127.0.0.1:4243' },
      { word: 'prod', about: 'https://crm.example.com' },
    ])
    expect(await wordsAt(['contacts', 'list', '-p', ''])).toEqual(['local', 'prod'])
  })

  test('members of the resource are offered, including members seen before', async () => {
    const members = { contact: ['id', 'tier'], deal: ['region'] }
    const names = await wordsAt(['contacts', 'list', '--fields', ''], { members })
    expect(names).toEqual(expect.arrayContaining(['email', 'tier']))
    expect(names).not.toContain('region')
    expect(names.filter((name) => name === 'id')).toHaveLength(1)
    expect(await wordsAt(['deals', 'list', '--summary', ''], { members })).toContain('region')
    expect(await wordsAt(['contacts', 'import', 'a.csv', '--match', ''], { members })).toContain('tier')
    expect(await wordsAt(['pipelines', 'stages', 's', '--fields', ''])).toContain('probability')
  })

  test('a list offers each member once, without a blank after it', async () => {
    const answer = await answerAt(['contacts', 'list', '--fields', 'id,na'])
    expect(answer).toMatchObject({ head: 'id,', isOpen: true })
    expect(answer.candidates).not.toContainEqual({ word: 'id', about: '' })
  })

  test('--set offers writable members, then the stages of the server', async () => {
    const known = { stages: ['Lead', 'Closed Won'], ids: { pipeline: [['sales', 'Sales']] } } as const
    const names = await answerAt(['deals', 'update', 'deal_1', '--set', ''], known)
    expect(names.isOpen).toBe(true)
    expect(names.candidates).toContainEqual({ word: 'stage=', about: '' })
    expect(names.candidates).not.toContainEqual({ word: 'version=', about: '' })
    expect(await answerAt(['deals', 'update', 'deal_1', '--set', 'stage=C'], known)).toMatchObject({ head: 'stage=' })
    expect(await wordsAt(['deals', 'create', '--set=stage='], known)).toEqual(['Lead', 'Closed Won'])
    expect(await wordsAt(['deals', 'create', '--set', 'pipeline_id='], known)).toEqual(['sales'])
    expect(await wordsAt(['deals', 'create', '--set', 'name='], known)).toEqual([])
    expect(await wordsAt(['deals', 'list', '--filter', 'stage=Lead,'], known)).toEqual(['Closed Won'])
    expect(await wordsAt(['pipelines', 'stages', ''], known)).toEqual(['sales'])
  })

  test('--map offers members after the name of a column', async () => {
    expect(await wordsAt(['contacts', 'import', 'a.csv', '--map', 'E-Mail'])).toEqual([])
    expect(await wordsAt(['contacts', 'import', 'a.csv', '--map', 'E-Mail='])).toContain('email')
  })

  test('jobs, settings and kinds of events are offered', async () => {
    expect(await wordsAt(['jobs', 'resume', ''])).toEqual(['job_2', 'job_1'])
    expect(await wordsAt(['config', 'get', ''])).toContain('page_size')
    expect(await wordsAt(['listen', '--events', 'deal.created,'])).toContain('contact.*')
  })

  test('an id that looks like a flag is not offered, because crm would read it as one', async () => {
    const ids = { contact: [['--yes', 'Mallory'] as const, ['con_1', 'Ada'] as const] }
    expect(await wordsAt(['contacts', 'delete', ''], { ids })).toEqual(['con_1'])
  })
})

/** The answer for `crm` followed by these words, with the cursor in the last one. */
async function answerAt(words: readonly string[], known: Partial<Known> = {}): Promise<Suggestions> {
  return answerTo(wantedAt(vocabulary, words), {
    profiles: async () => [
      ['local', 'http://127.0.0.1:4243'],
      ['prod', 'https://crm.example.com'],
    ],
    known: async () => ({ ...NOTHING_KNOWN, ...known }),
    jobs: () => ['job_2', 'job_1'],
    events: () => [['evt_2', 'deal.updated deal_1']],
  })
}

async function candidatesAt(words: readonly string[], known: Partial<Known> = {}): Promise<readonly Suggestion[]> {
  const { candidates } = await answerAt(words, known)
  if (candidates === 'files') throw new Error('files were answered')
  return candidates
}

async function wordsAt(words: readonly string[], known: Partial<Known> = {}): Promise<readonly string[]> {
  return (await candidatesAt(words, known)).map(({ word }) => word)
}

test('the newest events of the log are offered first, each once, with their names and records', async () => {
  const events = Array.from({ length: 60 }, (_, at) => sampleEvent(`evt_${at}`))
  const { home } = await homeWith([...events, sampleEvent('evt_7')], [attemptAt(sampleEvent('evt_1'))])
  const ids = eventIds(home)
  expect(ids).toHaveLength(50)
  expect(ids.slice(0, 3)).toEqual([
    ['evt_7', 'contact.created con_evt_7'],
    ['evt_59', 'contact.created con_evt_59'],
    ['evt_58', 'contact.created con_evt_58'],
  ])
})

test('damaged lines and events without an id are not offered, and a home without a log has none', async () => {
  const { home, folder } = await homeWith([sampleEvent('evt_a')])
  const [name = ''] = readdirSync(folder)
  appendFileSync(
    join(folder, name),
    '{"v":1,"id":null,"event":null,"record_id":null,"x":1}\n{"v":1,"id":"evt_torn","ev',
  )
  expect(eventIds(home).map(([id]) => id)).toEqual(['evt_a'])
  expect(eventIds(emptyHome())).toEqual([])
})
