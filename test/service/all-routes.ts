import { serviceRoutes } from '../../src/service/service-routes.ts'

/** As of a service with the defaults. */
export const ALL_ROUTES = serviceRoutes({
  isStopping: () => false,
  hasPage: false,
  isTarget: () => true,
  rateLimit: undefined,
  version: '1.2.3',
  answersKeptMs: 24 * 60 * 60 * 1000,
})
