import { ownCommands } from './records/own.ts'

export const CONTACTS_COMMANDS = ownCommands('contact', {
  list: [
    'crm contacts list --limit 20',
    'crm contacts list --filter company=Acme',
    'crm contacts list -o csv --fields id,email > contacts.csv',
    "crm contacts list --where '.company == null' -o id",
    "crm contacts list --jq 'map(.email) | unique | length'",
  ],
  get: ['crm contacts get con_0abc -o json', 'crm contacts get - -o csv < ids.txt'],
  create: [
    'crm contacts create --set name="Ada Lovelace" --set email=ada@example.test',
    'crm contacts create --data ada.yaml -o id',
  ],
  update: [
    'crm contacts update con_0abc --set phone=+4915112345',
    'crm contacts update con_0abc --set company:=null --if-match 3',
    'crm contacts update --where \'.company == "Acme"\' --set owner_id=u_ines',
    'crm contacts update --from phones.csv --match email --yes',
  ],
  delete: [
    'crm contacts delete con_0abc',
    'crm contacts delete - --yes --expect 12 < ids.txt',
    'crm contacts delete --where \'.email | endswith("@example.test")\'',
    'crm contacts delete --from leavers.csv --match email --yes --expect 12',
  ],
  export: ['crm contacts export contacts.csv', 'crm contacts export - -o jsonl | gzip > contacts.jsonl.gz'],
  duplicates: [
    'crm contacts duplicates',
    'crm contacts duplicates --by email,name~+company --threshold 0.95',
    'crm contacts duplicates --by email -o jsonl > groups.jsonl',
  ],
  merge: [
    'crm contacts merge con_0abc con_0abd --dry-run',
    'crm contacts merge --from groups.jsonl --rule phone=newest --rule tags=union --yes --expect 12',
    'crm contacts merge --from groups.jsonl --losers mark=merged_into --yes',
  ],
  import: [
    'crm contacts import people.csv --dry-run',
    'crm contacts import people.csv --match email --yes',
    'crm contacts import people.csv --map "E-Mail=email" --null NULL',
    'crm contacts list -o jsonl -p old | crm contacts import - -p new --run-id move --map id=',
  ],
})
