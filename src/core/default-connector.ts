/** The connector of `crm serve`, for servers that name no other. */
export const DEFAULT_CONNECTOR = 'crm'
