/** The screens of `crm browse` with a tab and a number, in its order. Those of other objects have their plurals as names. */
export const TAB_SCREENS = ['home', 'contacts', 'deals', 'pipelines', 'events', 'jobs', 'webhooks'] as const
