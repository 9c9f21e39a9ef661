# fish completion for pippin: asks the program itself what can stand for the word under the cursor.

function __pippin_candidates
    set -l typed (commandline -opc)
    set -l word (string trim --chars '\'"' -- "$(commandline -ct)")
    set -l found ($typed[1] --complete -- $typed[2..] "$word" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$word"
    end
end

complete --command pippin --no-files --arguments '(__pippin_candidates)'
