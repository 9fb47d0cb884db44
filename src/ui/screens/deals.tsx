import type { ScreenEntry } from '../screen-entry.ts'
import { noRecords } from './records.tsx'

export const dealsScreen: ScreenEntry = {
  title: 'Deals',
  columns: [
    { name: 'name', head: 'NAME', least: 26, most: 40 },
    { name: 'amount', head: 'AMOUNT', least: 10, most: 14, align: 'right' },
    { name: 'stage', head: 'STAGE', least: 12, most: 18 },
    { name: 'id', head: 'ID', least: 16, most: 17 },
    { name: 'owner_id', head: 'OWNER', least: 8, most: 14 },
    { name: 'pipeline_id', head: 'PIPELINE', least: 10, most: 16 },
    { name: 'created_at', head: 'CREATED', least: 8, most: 20, kind: 'time' },
  ],
  empty: noRecords('deals'),
}
