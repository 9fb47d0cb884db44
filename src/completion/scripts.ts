import type { Shell } from './shells.ts'

/**
 * They pass on the typed line and show the answer, and evaluate neither. `command crm` is the one in PATH: a Tab after
 * `./crm` runs nothing in that folder.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // For bash 3.2 too, which macOS has: no compopt, no mapfile.
  bash: String.raw`# bash completion for crm: eval "$(crm completion bash)"
_crm() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=${'$'}{line%%$'\t'*}
    else
      COMPREPLY+=("$line")
    fi
  done < <(command crm __complete bash "${'$'}{COMP_LINE:0:$COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  if [[ $kind == files ]] && ! compopt -o default +o nospace 2>/dev/null; then
    while IFS= read -r line; do
      COMPREPLY+=("$line")
    done < <(compgen -f -- "$2")
  fi
}
complete -o nospace -F _crm crm
`,
  zsh: String.raw`#compdef crm
# zsh completion for crm: eval "$(crm completion zsh)" behind compinit, or this file as _crm in a folder of $fpath
_crm() {
  local kind head
  local -a lines end
  lines=("${'$'}{(@f)$(command crm __complete zsh "${'$'}{(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  kind=${'$'}{lines[1]%%$'\t'*}
  head=${'$'}{lines[1]#*$'\t'}
  shift lines
  [[ -n $head ]] && compset -p ${'$'}{#head}
  if [[ $kind == files ]]; then
    _files
    return
  fi
  (( $#lines )) || return 1
  [[ $kind == open ]] && end=(-S '')
  _describe -V -t words crm lines "${'$'}{end[@]}"
}
if [[ $funcstack[1] == _crm ]]; then
  _crm "$@"
else
  compdef _crm crm
fi
`,
  fish: String.raw`# fish completion for crm: crm completion fish | source
function __crm_complete
    set -l current (commandline -ct | string replace -r '^[\'"]' '')
    set -l before (commandline -opc)
    set -l lines (command crm __complete fish $before[2..-1] "$current" 2>/dev/null)
    set -l first (string split -m 1 \t -- $lines[1])
    if test "$first[1]" = files
        set -l length (string length -- "$first[2]")
        for path in (__fish_complete_path (string sub -s (math $length + 1) -- "$current"))
            printf '%s\n' $first[2]$path
        end
    else if set -q lines[2]
        printf '%s\n' $lines[2..-1]
    end
end
complete -c crm -f -k -a '(__crm_complete)'
`,
}
