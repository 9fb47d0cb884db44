import { describe } from 'vitest'
import type { Store } from '../../../src/service/store/store.ts'
import type { StoreOptions } from '../../../src/service/store/store-options.ts'
import { newDatabase, openTestStore } from '../../harness/database.ts'
import { deliveriesSuite } from './suite/deliveries-suite.ts'
import { filtersSuite } from './suite/filters-suite.ts'
import { fixtureRunsSuite } from './suite/fixture-runs-suite.ts'
import { historySuite } from './suite/history-suite.ts'
import { idempotencySuite } from './suite/idempotency-suite.ts'
import { identitySuite } from './suite/identity-suite.ts'
import { keysSuite } from './suite/keys-suite.ts'
import { observerSuite } from './suite/observer-suite.ts'
import { pageBytesSuite } from './suite/page-bytes-suite.ts'
import { pagesSuite } from './suite/pages-suite.ts'
import { pipelinesSuite } from './suite/pipelines-suite.ts'
import { readsSuite } from './suite/reads-suite.ts'
import { retentionSuite } from './suite/retention-suite.ts'
import { uniqueSuite } from './suite/unique-suite.ts'
import { webhooksSuite } from './suite/webhooks-suite.ts'
import { writesSuite } from './suite/writes-suite.ts'

/** Every store has them; the suite gives each of them to some. */
export type SuiteOptions = Pick<StoreOptions, 'now' | 'retention' | 'observer'>

/** The parameters of each part of the suite; every store is closed when its test ends. */
export interface Fixture {
  open(now?: () => number, more?: Omit<SuiteOptions, 'now'>): Promise<Store>
  /** For tests that open the same database more than once. */
  makePlace(): Promise<(now?: () => number, more?: Omit<SuiteOptions, 'now'>) => Promise<Store>>
}

const FIXTURE: Fixture = {
  open: async (now = Date.now, more = {}) => openTestStore({ address: await newDatabase(), now, ...more }),
  makePlace: async () => {
    const address = await newDatabase()
    return (now = Date.now, more = {}) => openTestStore({ address, now, ...more })
  },
}

/** The contract of a store, on the database of the project. */
export function storeSuite(): void {
  describe('writes', () => writesSuite(FIXTURE))
  describe('ids and times', () => identitySuite(FIXTURE))
  describe('idempotency', () => idempotencySuite(FIXTURE))
  describe('pages', () => pagesSuite(FIXTURE))
  describe('bytes of a page', () => pageBytesSuite(FIXTURE))
  describe('reads', () => readsSuite(FIXTURE))
  describe('filters', () => filtersSuite(FIXTURE))
  describe('pipelines', () => pipelinesSuite(FIXTURE))
  describe('unique members', () => uniqueSuite(FIXTURE))
  describe('keys', () => keysSuite(FIXTURE))
  describe('deliveries', () => deliveriesSuite(FIXTURE))
  describe('webhooks', () => webhooksSuite(FIXTURE))
  describe('history', () => historySuite(FIXTURE))
  describe('fixture runs', () => fixtureRunsSuite(FIXTURE))
  describe('retention', () => retentionSuite(FIXTURE))
  describe('observer', () => observerSuite(FIXTURE))
}
