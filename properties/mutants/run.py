#!/usr/bin/env python3
"""Breaks one line at a time and looks whether a test notices.

    properties/mutants/run.py                    # all of mutants.json, in build/release
    properties/mutants/run.py credit staleness   # those whose file, old or new text has one of the words
    properties/mutants/run.py --list             # what there is

Each mutant of mutants.json replaces `old`, which stands exactly once in `file`, by `new`; the programs that `tests`
names are built and run. A test that fails (or a run that does not end) kills it. A file is restored after its mutant,
however that ends; one with changes that are not committed is left alone. Exit code: 0 = all killed, 1 = some survived,
2 = some could not be tried.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LONGEST = 300  # seconds for one test program
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class NotTried(Exception):
    pass


def ask(words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def build(folder, jobs, programs):
    answer = ask(["ninja", "-C", str(folder), "-j", str(jobs), *programs])
    if answer.returncode != 0:
        raise NotTried("it does not compile:\n" + "\n".join(answer.stdout.splitlines()[-15:]))


def program(folder, name):
    found = [p for p in folder.glob("*/" + name) if p.is_file() and os.access(p, os.X_OK)]
    if len(found) > 1:  # one of an older build may lie about
        found.sort(key=lambda p: p.stat().st_mtime)
    if not found:
        raise NotTried(f"there is no {name} in {folder}")
    return found[-1]


def fails(folder, test):
    name, *arguments = test.split()
    try:
        answer = ask([str(program(folder, name)), *arguments], cwd=folder, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return True
    if "Running 0 tests" in answer.stdout:
        raise NotTried(f"no test fits {test}")
    return answer.returncode != 0


def check(mutant):
    path = ROOT / mutant["file"]
    if not path.is_file():
        raise NotTried("there is no such file")
    text = path.read_text()
    if "\n" in mutant["old"] or text.count(mutant["old"]) != 1:
        raise NotTried(f"its line stands {text.count(mutant['old'])} times in the file")
    if ask(["git", "diff", "--quiet", "HEAD", "--", mutant["file"]], cwd=ROOT).returncode != 0:
        raise NotTried("the file has changes that are not committed")
    return path, text


def put(path, content):  # all of it or nothing
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    shutil.copymode(path, new)
    os.replace(new, path)


def stop(*_):  # once: what comes while files are restored is not heard
    for s in STOPS:
        signal.signal(s, signal.SIG_IGN)
    sys.exit(130)


def is_killed(mutant, folder, jobs):
    path, text = check(mutant)
    original = path.read_bytes()
    try:
        put(path, text.replace(mutant["old"], mutant["new"]).encode())
        build(folder, jobs, sorted({t.split()[0] for t in mutant["tests"]}))
        return any(fails(folder, t) for t in mutant["tests"])
    finally:
        put(path, original)  # with a new time: what was built of the mutant is older


def chosen(arguments):
    words = arguments.words
    for m in json.loads(arguments.mutants.read_text()):
        if not words or any(w in m["file"] or w in m["old"] or w in m["new"] for w in words):
            yield m


def line_of(m):
    return f"{m['file']}: {m['old'].strip()}  ->  {m['new'].strip()}"


def run(arguments):
    counts = {"killed": 0, "survived": 0, "not tried": 0}
    programs = set()
    for m in chosen(arguments):
        try:
            answer, why = ("killed" if is_killed(m, arguments.build, arguments.jobs) else "survived"), ""
        except NotTried as e:
            answer, why = "not tried", f"\n           {e}"
        counts[answer] += 1
        programs |= {t.split()[0] for t in m["tests"]}
        print(f"{answer:9}  {line_of(m)}{why}", flush=True)
    if programs:
        build(arguments.build, arguments.jobs, sorted(programs))  # of the true sources again
    tried = counts["killed"] + counts["survived"]
    share = f"{100 * counts['killed'] / tried:.1f} %" if tried else "-"
    print(f"{counts['killed']} of {tried} killed ({share}), {counts['survived']} survived, "
          f"{counts['not tried']} not tried")
    return 2 if counts["not tried"] else 1 if counts["survived"] else 0


def main():
    parser = argparse.ArgumentParser(description="Breaks one line at a time and looks whether a test notices.")
    parser.add_argument("words", nargs="*", help="only mutants that have one of these words")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="a folder of ninja")
    parser.add_argument("--jobs", type=int, default=1, help="of ninja")
    parser.add_argument("--mutants", type=pathlib.Path, default=HERE / "mutants.json", help="another list")
    parser.add_argument("--list", action="store_true", help="only list them")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    if arguments.list:
        for m in chosen(arguments):
            print(line_of(m))
        return 0
    os.nice(10)
    for s in STOPS:
        signal.signal(s, stop)
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
