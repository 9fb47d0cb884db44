import { describe, onTestFinished } from 'vitest'
import type { Store } from '../../../src/service/store/store.ts'
import type { StoreOptions } from '../../../src/service/store/store-options.ts'
import { deliveriesSuite } from './suite/deliveries-suite.ts'
import { filtersSuite } from './suite/filters-suite.ts'
import { idempotencySuite } from './suite/idempotency-suite.ts'
import { identitySuite } from './suite/identity-suite.ts'
import { keysSuite } from './suite/keys-suite.ts'
import { observerSuite } from './suite/observer-suite.ts'
import { pagesSuite } from './suite/pages-suite.ts'
import { pipelinesSuite } from './suite/pipelines-suite.ts'
import { readsSuite } from './suite/reads-suite.ts'
import { retentionSuite } from './suite/retention-suite.ts'
import { uniqueSuite } from './suite/unique-suite.ts'
import { webhooksSuite } from './suite/webhooks-suite.ts'
import { writesSuite } from './suite/writes-suite.ts'

/** One kind of database. Reopening the same place finds the written data. */
export interface StoreSide {
  makePlace(): Promise<string>
  open(place: string, options: SuiteOptions): Promise<Store>
}

/** Every store has them; the suite gives each of them to some. */
export type SuiteOptions = Pick<StoreOptions, 'now' | 'retention' | 'observer'>

/** The parameters of each part of the suite; every store is closed when its test ends. */
export interface Fixture {
  open(now?: () => number, more?: Omit<SuiteOptions, 'now'>): Promise<Store>
  /** For tests that open the same database more than once. */
  makePlace(): Promise<(now?: () => number, more?: Omit<SuiteOptions, 'now'>) => Promise<Store>>
}

/** The contract of a store; runs once over every implementation. */
export function storeSuite(name: string, side: StoreSide): void {
  const openAt = async (place: string, options: SuiteOptions): Promise<Store> => {
    const store = await side.open(place, options)
    onTestFinished(() => store.close())
    return store
  }
  const fixture: Fixture = {
    open: async (now = Date.now, more = {}) => openAt(await side.makePlace(), { now, ...more }),
    makePlace: async () => {
      const place = await side.makePlace()
      return (now = Date.now, more = {}) => openAt(place, { now, ...more })
    },
  }
  describe(name, () => {
    describe('writes', () => writesSuite(fixture))
    describe('ids and times', () => identitySuite(fixture))
    describe('idempotency', () => idempotencySuite(fixture))
    describe('pages', () => pagesSuite(fixture))
    describe('reads', () => readsSuite(fixture))
    describe('filters', () => filtersSuite(fixture))
    describe('pipelines', () => pipelinesSuite(fixture))
    describe('unique members', () => uniqueSuite(fixture))
    describe('keys', () => keysSuite(fixture))
    describe('deliveries', () => deliveriesSuite(fixture))
    describe('webhooks', () => webhooksSuite(fixture))
    describe('retention', () => retentionSuite(fixture))
    describe('observer', () => observerSuite(fixture))
  })
}
