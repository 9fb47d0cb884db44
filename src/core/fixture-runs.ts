/** Where a server keeps the states of runs of fixtures. */
export const FIXTURE_RUNS_PATH = '/v1/fixture-runs'
