/**
 * `number(example)` and `date(shape)`, as `--map` converts cells. A number is written as in the example, `1.234,50 EUR`; a date
 * has one of the shapes, `D.M.Y|M/D/YY`, or is one of ISO 8601. Regular expressions escape what they are given.
 */
const CONVERSIONS = String.raw`def _plain: gsub("(?<c>[^A-Za-z0-9 ])"; "\\\(.c)");
def number($example): if type != "string" then . else
  (gsub("[\u00a0\u202f\u2009]"; " ") | sub("^ +"; "") | sub(" +$"; "")) as $text
  | ($example | capture("^(?<before>[^0-9]*)(?<digits>[0-9](?:.*[0-9])?)(?<after>[^0-9]*)$") // error("number(\($example | tojson)): expected an example such as 1.234,50")) as $e
  | ([$e.digits | match("[^0-9]"; "g").string]) as $marks
  | ($marks | unique | length) as $kinds | $marks[-1] as $last
  | (if $last == null then "" else $e.digits | split($last)[-1] end) as $tail
  | ($kinds == 1 and (($tail | length) == 3 or ($marks | length) > 1)) as $isGroup
  | (if $isGroup then null else $last end) as $decimal
  | (if $isGroup then $last else ($marks | map(select(. != $decimal)))[0] end) as $group
  | (reduce ($e.before, $e.after | gsub("^ +| +$"; "") | select(. != "")) as $unit ($text;
      if startswith($unit) then .[$unit | length:] | sub("^ +"; "") elif endswith($unit) then .[:-($unit | length)] | sub(" +$"; "") else . end)) as $bare
  | ((if $group == null then "[0-9]+" else "(?:[0-9]+|[0-9]{1,3}(?:" + ($group | _plain) + "[0-9]{3})+)" end)
     + (if $decimal == null then "" else "(?:" + ($decimal | _plain) + "[0-9]+)?" end)) as $shape
  | if ($bare | test("^[+-]?" + $shape + "$")) then
      ($bare | sub("^[+]"; "") | (if $group == null then . else split($group) | join("") end)
       | (if $decimal == null then . else split($decimal) | join(".") end)
       | sub("^(?<s>-?)0+(?=[0-9])"; "\(.s)") | tonumber)
    else error("\($text | tojson | .[:60]) is no number as \($example)") end end;
def date($shapes): if type != "string" then . else . as $given
  | ([("Y-M-D", ($shapes | split("|")[])) | . as $shape
      | [match("YY|[DMY]|[^DMY]+"; "g").string]
      | if (map(select(test("^[DMY]+$")) | .[:1]) | sort) == ["D", "M", "Y"] then . else error("date(\($shapes | tojson)): \($shape | tojson) is no shape of a date, expected one such as D.M.Y") end
      | map(if . == "D" then "(?<d>[0-9]{1,2})" elif . == "M" then "(?<m>[0-9]{1,2})" elif . == "Y" then "(?<y>[0-9]{4})" elif . == "YY" then "(?<y>[0-9]{2})" else _plain end)
      | "^ *" + join("") + " *$"] | map(. as $pattern | $given | capture($pattern)?)
    | map(map_values(tonumber) | if .y < 69 then .y += 2000 elif .y < 100 then .y += 1900 else . end
        | . as $c | ([$c.y, $c.m - 1, $c.d, 0, 0, 0, 0, 0] | mktime | gmtime) as $t
        | select($t[0] == $c.y and $t[1] == $c.m - 1 and $t[2] == $c.d) | $t | strftime("%Y-%m-%d"))
    | .[0]) // error("\($given | tojson | .[:60]) is no date as \($shapes)") end;
`.replaceAll('\n', ' ')

/** The definitions for a program that uses them; empty for others, because every run compiles them. */
export function conversionFunctions(program: string): string {
  return /\b(?:number|date)\s*\(/.test(program) ? CONVERSIONS : ''
}
