# SPDX-License-Identifier: Apache-2.0
# bash completion for pippin: asks the program itself what can stand for the word under the cursor.

_pippin() {
  local raw=${COMP_WORDS[COMP_CWORD]} words=() word prefix candidate i
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]//[\"\'\\]/}
    # bash splits words at = and :, where --format=csv is one.
    if ((${#words[@]} > 0)) && [[ $word == [=:]* || ${words[-1]} == *[=:] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  [[ $raw == [=:]* ]] && word=''
  prefix=${words[-1]%"$word"}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    candidate=${candidate#"$prefix"}
    if [[ $raw != [\"\']* && $candidate == *[!A-Za-z0-9_./,=:+@%-]* ]]; then
      printf -v candidate %q "$candidate"
    fi
    COMPREPLY+=("$candidate")
  done < <("${1/#\~/$HOME}" --complete -- "${words[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=] ]]; then compopt -o nospace; fi
}

complete -o default -F _pippin pippin
