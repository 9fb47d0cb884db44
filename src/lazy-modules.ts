/**
 * Heavy modules, each behind a function that loads it, so that a command loads only what it uses. Commands import these
 * modules through here only.
 */
export const LAZY_MODULES = {
  ui: {
    screens: () => import('./ui/open-browse.ts'),
    plain: () => import('./ui/open-plain.ts'),
  },
  service: {
    store: () => import('./service/store/open-store.ts'),
    server: () => import('./service/server.ts'),
    keys: () => import('./service/keys.ts'),
    pipelines: () => import('./service/resources/pipelines.ts'),
    delivery: () => import('./service/delivery/sender.ts'),
    seed: () => import('./service/seed.ts'),
    metrics: () => import('./service/metrics/metrics-server.ts'),
    manager: () => import('./service/service-manager.ts'),
    logFile: () => import('./service/log-file.ts'),
    eventTypes: () => import('./service/openapi/event-types.ts'),
  },
  fixtures: {
    load: () => import('./fixtures/load.ts'),
    interruption: () => import('./fixtures/interruption.ts'),
    runId: () => import('./fixtures/run-id.ts'),
    mistakes: () => import('./fixtures/mistakes.ts'),
    schema: () => import('./fixtures/schema.ts'),
    apply: () => import('./fixtures/apply.ts'),
    destroy: () => import('./fixtures/destroy.ts'),
    status: () => import('./fixtures/status.ts'),
    sweep: () => import('./fixtures/sweep.ts'),
    stages: () => import('./fixtures/check-stages.ts'),
    env: () => import('./fixtures/write-env.ts'),
    files: () => import('./fixtures/run-files.ts'),
    steps: () => import('./fixtures/plan-steps.ts'),
    fill: () => import('./fixtures/fill.ts'),
    export: () => import('./fixtures/export.ts'),
  },
  completion: {
    scripts: () => import('./completion/scripts.ts'),
    known: () => import('./completion/known-file.ts'),
  },
  duplicates: {
    keys: () => import('./duplicates/match-key.ts'),
    find: () => import('./duplicates/find-duplicates.ts'),
  },
  sorting: {
    order: () => import('./sorting/record-order.ts'),
    sort: () => import('./sorting/sort-records.ts'),
  },
  schemas: () => import('./api/graphql/schema-text.ts'),
  connectors: () => import('./api/connectors/open-connector.ts'),
  drafts: {
    description: () => import('./api/connectors/draft/read-description.ts'),
    fetching: () => import('./api/connectors/draft/fetch-document.ts'),
    make: () => import('./api/connectors/draft/make-draft.ts'),
    yaml: () => import('./api/connectors/draft/draft-yaml.ts'),
  },
  migration: () => import('./migration/open-migration.ts'),
  sandbox: () => import('./sandbox/run-in-sandbox.ts'),
  sandboxes: {
    hold: () => import('./sandbox/hold-sandbox.ts'),
    start: () => import('./sandbox/start-in-background.ts'),
    stop: () => import('./sandbox/stop-sandbox.ts'),
  },
  snapshot: {
    entries: () => import('./snapshot/snapshot.ts'),
    compare: () => import('./snapshot/compare.ts'),
  },
  webhooks: {
    listening: () => import('./webhooks/listening.ts'),
    events: () => import('./webhooks/log/read-events.ts'),
    log: () => import('./webhooks/log/event-log.ts'),
    segments: () => import('./webhooks/log/segments.ts'),
    entry: () => import('./webhooks/log/entry.ts'),
    forwarder: () => import('./webhooks/forwarding/start-forwarder.ts'),
    command: () => import('./webhooks/command.ts'),
    tunnel: () => import('./webhooks/tunnel.ts'),
    secrets: () => import('./webhooks/secrets.ts'),
    filter: () => import('./webhooks/event-filter.ts'),
    sign: () => import('./webhooks/sign.ts'),
    saved: () => import('./webhooks/saved-request.ts'),
  },
} as const

export type LazyModules = typeof LAZY_MODULES
