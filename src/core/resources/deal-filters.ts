/** The filters of `GET /v1/deals` in the contract; a server may have others. */
export const DEAL_FILTER_PARAMETERS = [
  'stage',
  'owner_id',
  'pipeline_id',
  'name',
  'amount[gte]',
  'amount[lte]',
  'created_since',
  'created_until',
] as const
