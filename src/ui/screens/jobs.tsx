import type { ScreenEntry } from '../screen-entry.ts'

export const jobsScreen: ScreenEntry = {
  title: 'Jobs',
  columns: [
    { name: 'id', head: 'JOB', least: 15, most: 18 },
    { name: 'state', head: 'STATE', least: 10, most: 12, isVital: true },
    { name: 'done', head: 'DONE', least: 7, most: 9, align: 'right' },
    { name: 'unchanged', head: 'UNCHANGED', least: 9, most: 9, align: 'right' },
    { name: 'rows', head: 'ROWS', least: 7, most: 9, align: 'right' },
    { name: 'failed', head: 'FAILED', least: 7, most: 9, align: 'right' },
    { name: 'still_failed', head: 'STILL FAILED', least: 12, most: 12, align: 'right' },
    { name: 'in_doubt', head: 'IN DOUBT', least: 8, most: 9, align: 'right' },
    { name: 'made_at', head: 'MADE', least: 8, most: 24, kind: 'time' },
    { name: 'what', head: 'WHAT', least: 16, most: 60 },
  ],
  searched: ['id', 'state', 'what'],
  empty: () => ['No jobs on this machine.', 'crm contacts import FILE makes a job, as b and d do.'],
  status: ({ jobs: { others, isOfAll } }) =>
    others === 0 ? [] : [`${others} of other servers (O ${isOfAll ? 'hides' : 'shows'})`],
}
