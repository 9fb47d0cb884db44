import type { ScreenEntry } from '../screen-entry.ts'
import { noRecords } from './records.tsx'

export const contactsScreen: ScreenEntry = {
  title: 'Contacts',
  columns: [
    { name: 'name', head: 'NAME', least: 22, most: 36 },
    { name: 'email', head: 'EMAIL', least: 22, most: 36 },
    { name: 'phone', head: 'PHONE', least: 15, most: 18 },
    { name: 'company', head: 'COMPANY', least: 18, most: 28 },
    { name: 'id', head: 'ID', least: 16, most: 17 },
    { name: 'owner_id', head: 'OWNER', least: 8, most: 14 },
    { name: 'created_at', head: 'CREATED', least: 8, most: 20, kind: 'time' },
  ],
  empty: noRecords('contacts'),
}
