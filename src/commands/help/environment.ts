import type { HelpTopic } from './help-topic.ts'

export const ENVIRONMENT_TOPIC: HelpTopic = {
  title: 'Environment',
  parts: [
    'With CRM_API_KEY and CRM_BASE_URL every command works in an empty home directory, and writes only requested files.',
    {
      rows: [
        ['CRM_API_KEY', 'the key; overrides that of the profile'],
        ['CRM_BASE_URL', 'the address of the CRM; overrides that of the profile'],
        ['CRM_PROFILE', 'the profile, when -p does not name one'],
        ['CRM_CONFIG_HOME', 'where profiles and keys are kept; else XDG_CONFIG_HOME/crm, else ~/.config/crm'],
        ['CRM_STATE_HOME', 'where bulk jobs and events are kept; else XDG_STATE_HOME/crm, else ~/.local/state/crm'],
        ['XDG_DATA_HOME', 'where crm serve keeps its database: crm/crm.db in there, else in ~/.local/share'],
        ['NO_COLOR, FORCE_COLOR', 'colour off, colour on; --color overrides both'],
        ['CI', 'when set, nothing prompts'],
        ['CRM_PAGER, PAGER', 'the pager for lists on a terminal; empty or cat for none'],
        ['VISUAL, EDITOR', 'what crm browse edits a record with'],
        ['HTTPS_PROXY, NO_PROXY', 'the proxy to the server; never used for plain http'],
        ['SSL_CERT_FILE', 'trust the certificates in this file instead of the usual ones'],
      ],
    },
    '-p beside CRM_API_KEY or CRM_BASE_URL is an error: they might mean two different places.',
  ],
}
