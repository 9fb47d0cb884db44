import { expect, test } from 'vitest'
import type { Pipeline } from '../../../../src/service/store/store.ts'
import { dealCreation, idOf, removal } from '../samples.ts'
import type { Fixture } from '../store-suite.ts'

function pipeline(id: string, ...stageNames: string[]): Pipeline {
  const stages = stageNames.map((name, place) => ({
    id: `${id}.${place}`,
    name,
    position: place + 1,
    probability: undefined,
  }))
  return { id, name: id, stages }
}

export function pipelinesSuite({ open, makePlace }: Fixture): void {
  test('a new database has the sales pipeline', async () => {
    const store = await open()
    const [sales, ...others] = await store.pipelines()
    expect(others).toEqual([])
    expect(sales).toMatchObject({ id: 'sales', name: 'Sales' })
    expect(sales?.stages.map(({ id, name, probability }) => [id, name, probability])).toEqual([
      ['sales.lead', 'Lead', 0.1],
      ['sales.qualified', 'Qualified', 0.25],
      ['sales.proposal', 'Proposal', 0.5],
      ['sales.negotiation', 'Negotiation', 0.75],
      ['sales.won', 'Won', 1],
      ['sales.lost', 'Lost', 0],
    ])
  })

  test('the given pipelines replace all others, in the given order, also after a restart', async () => {
    const reopen = await makePlace()
    const store = await reopen()
    const given = [pipeline('z', 'One', 'Two'), pipeline('a', 'Two')]
    await store.putPipelines(given)
    expect(await store.pipelines()).toEqual(given)
    await store.close()
    expect(await (await reopen()).pipelines()).toEqual(given)
  })

  test('stages are listed by position, however given', async () => {
    const store = await open()
    const { stages, ...rest } = pipeline('a', 'One', 'Two', 'Three')
    await store.putPipelines([{ ...rest, stages: stages.toReversed() }])
    expect((await store.pipelines())[0]?.stages).toEqual(stages)
  })

  test('a stage with deals cannot be dropped, nor its pipeline, and nothing changes', async () => {
    const store = await open()
    const before = await store.pipelines()
    await store.write(dealCreation({ stage: 'Won' }))
    const id = idOf(await store.write(dealCreation({ stage: 'Won' })))
    const withoutWon = pipeline('sales', 'Lead')
    await expect(store.putPipelines([withoutWon])).rejects.toThrow(
      'stage Won of pipeline sales cannot be dropped: 2 deals',
    )
    await store.write(removal('deal', id))
    await expect(store.putPipelines([pipeline('a', 'Won')])).rejects.toThrow('1 deal is in it')
    expect(await store.pipelines()).toEqual(before)
    await store.putPipelines([pipeline('sales', 'Won')])
    expect((await store.pipelines())[0]?.stages.map(({ name }) => name)).toEqual(['Won'])
  })

  test('a deal sent before the pipelines counts', async () => {
    const store = await open()
    const sent = store.write(dealCreation({ stage: 'Won' }))
    await expect(store.putPipelines([pipeline('sales', 'Lead')])).rejects.toThrow('stage Won')
    await sent
  })

  test('duplicate pipelines and pipelines without a stage are rejected', async () => {
    const store = await open()
    const refused: readonly (readonly [readonly Pipeline[], string])[] = [
      [[], 'no pipeline is given'],
      [[pipeline('a')], 'pipeline a has no stage'],
      [[pipeline('a', 'One'), pipeline('a', 'Two')], 'duplicate pipeline a'],
      [[pipeline('a', 'One', 'One')], 'duplicate stage of pipeline a One'],
    ]
    for (const [pipelines, message] of refused) await expect(store.putPipelines(pipelines)).rejects.toThrow(message)
  })
}
