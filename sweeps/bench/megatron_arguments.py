# SPDX-License-Identifier: Apache-2.0
"""megatron_arguments.py CHECKOUT: the first part of sweeps/estimate/megatron_arguments.txt, from a clone of Megatron-LM
with its tags. Since 2025 some arguments are made of the fields of dataclasses: a field that is True at first has --no-."""
import re, subprocess, sys


def git(*words):
    return subprocess.run(["git", "-C", sys.argv[1], *words], check=True, capture_output=True, text=True,
                          errors="replace").stdout


def is_read(path):
    name = path.rsplit("/", 1)[-1]
    return path.endswith(".py") and (path.startswith("pretrain_") or name == "arguments.py" or
                                     path.startswith("megatron/") and ("argument" in name or "config" in name))


def names_of(revision):
    names = set()
    for path in filter(is_read, git("ls-tree", "-r", "--name-only", revision).splitlines()):
        text = git("show", revision + ":" + path)
        names.update(re.findall(r"""['"]--([a-zA-Z][\w-]+)['"]""", text))
        if "config" not in path.rsplit("/", 1)[-1]: continue
        for name, kind, first in re.findall(r"^    ([a-z]\w*)\s*:\s*([^\n=#]+)(?:=\s*(\w+))?", text, re.M):
            names.add(name)
            if (kind.strip(), first) == ("bool", "True"): names.update(("no_" + name, "disable_" + name))
    return {name.replace("-", "_") for name in names}


revisions = [tag for tag in git("tag").split() if re.match(r"(core_)?v\d", tag)] + ["HEAD"]
print("\n".join(sorted(set().union(*map(names_of, revisions)) - {"help"})))
