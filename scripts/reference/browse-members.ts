/** What the members of `browse.yaml` mean, by the names of their objects. */
export const BROWSE_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  browse_keys: { keys: 'the keys that are added to the screens' },
  user_key: {
    key: 'a key such as P or ctrl-o, or two with a blank between them, that crm does not use on these screens',
    screens: 'where it applies',
    description: 'for the help, the palette and messages',
    command: 'run with sh -c; its stdin is a JSON line for each marked record, or for the one under the cursor',
    confirm: 'true: asked about first',
    reload: 'true: the list is loaded again after the command',
    output: 'message (default): the last line; pane: all lines; terminal: the command has the terminal until it ends',
  },
}
