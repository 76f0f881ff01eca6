#!/usr/bin/env python3
"""Opens report pages in headless Chromium and Firefox and compares what they show with `--json`: of runs, of a sweep and of two
scenarios beside each other.

    results/page/in_browser.py TARRY [SCENARIO...]

A page must open without a message in the console, within two seconds, light and dark, and its tables must have the
figures of the JSON. Exit code: 0 = all do, 1 = one does not."""

import html.parser
import json
import pathlib
import subprocess
import sys
import tempfile

from browsers import chromium, firefox

USUAL = ["010_uneven_ps", "015_workers64_backup4", "020_resnet50_gpu", "030_local", "047_chief_dies_checkpoint",
         "059_async8", "066_stale_sync", "085_one_busy_ps"]
PLAN = """scenario: 010_uneven_ps
axes:
  cluster.network.latency: [100ms, 1s]
  policy: {tokens: {}, none: {training.num_tokens: 0}}
seeds: 3
measures: [time, updates_per_second, step_time_p50]
"""
LONGEST = 2000  # milliseconds until the page is drawn


class Shown(html.parser.HTMLParser):
    """The tables of each section, as lists of rows of texts; and the texts of its paragraphs."""

    def __init__(self):
        super().__init__()
        self.tables, self.paragraphs, self.section, self.cell, self.attributes = {}, {}, "", None, {}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.attributes = attrs
        if tag == "section":
            self.section = attrs["id"]
        if tag == "tr":
            self.tables.setdefault(self.section, []).append([])
        if tag in ("td", "th", "p", "b"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[self.section][-1].append(self.cell.strip())
        if tag in ("p", "b"):
            self.paragraphs.setdefault(self.section, []).append(self.cell)
        if tag in ("td", "th", "p", "b"):
            self.cell = None


def seconds(value, digits=3):
    return f"{value:.{digits}f} s"


def expected_tables(j):
    """What the sections must show of the JSON."""
    sync = bool(j["accumulators"])
    tables = {
        "workers": [[w["task"], str(w["steps"]), str(w["accepted"] if sync else 0), str(w["dropped"] if sync else 0)]
                    for w in j["workers"]],
        "devices": [[d["device"], str(d["kernels"]), seconds(d["busy_s"])]
                    for d in sorted(j["devices"], key=lambda d: -d["busy_s"])],
        "traffic": [[l["from"], l["to"], str(l["messages"]), str(l["bytes"])]
                    for l in sorted(j["links"], key=lambda l: -l["bytes"])],
        "proofs": [[p["cause"], p["instead"]] for p in j["what_if"]],
    }
    return {section: rows for section, rows in tables.items() if rows}


def tables_of_sweep(j):
    """What the sections of a sweep's page must show: of each arm its values, and how many runs had something to measure
    is in neither; the figures are compared by their first digits, which the terminal's words have too."""
    names = list(j["arms"][0]["measures"])
    figure = lambda measure, key, scale: measure[key] and scale * measure[key]["mean"]
    far = lambda m: figure(m, "change", 100) if m["change"] else figure(m, "difference", 1)
    return {"table": [(list(a["values"].values()), [figure(a["measures"][n], "mean", 1) for n in names]) for a in j["arms"]],
            "differences": [(list(a["values"].values()), [far(a["measures"][n]) for n in names]) for a in j["arms"][1:]]}


def is_near(text, value):
    """Whether "12.3 ± 0.4" or "-8.1 % ± 0.2" is this number, as far as its digits go."""
    if value is None:
        return text == "-"
    first = text.split()[0]
    digits = len(first.split(".")[1]) if "." in first else 0
    return abs(float(first) - value) <= max(0.6 * 10 ** -digits, abs(value) * 1e-3)


def problems_of_sweep(open_in, page, j):
    shown, problems = look_at(open_in, page)
    for section, rows in tables_of_sweep(j).items():
        got = shown.tables.get(section, [])[1:]
        for row, (values, figures) in zip(got, rows):
            cells = row[len(values):len(values) + len(figures)]
            if row[:len(values)] != values or not all(map(is_near, cells, figures)):
                problems.append(f"{section}: expected {values} {figures}, got {row}")
        if len(got) != len(rows):
            problems.append(f"{section}: expected {len(rows)} rows, got {len(got)}")
    return problems + problems_when_dark(open_in, page)


def look_at(open_in, page):
    """What a page shows, and what is wrong with how it opens."""
    text, console = open_in(page, dark=False)
    shown = Shown()
    shown.feed(text)
    problems = [f"console: {line}" for line in console]
    if "data-drawn" not in shown.attributes:
        problems.append("it is not drawn")
    elif float(shown.attributes["data-drawn"]) > LONGEST:
        problems.append(f"it takes {shown.attributes['data-drawn']} ms")
    return shown, problems


def problems_when_dark(open_in, page):
    dark, console = open_in(page, dark=True)
    return [] if 'data-theme="dark"' in dark and not console else [f"dark: {console}"]


def problems_of(open_in, page, j):
    shown, problems = look_at(open_in, page)
    for section, rows in expected_tables(j).items():
        got = [row[:len(rows[0])] for row in shown.tables.get(section, [])[1:]]
        if got != rows:
            problems.append(f"{section}: expected {rows[:2]}, got {got[:2]}")
    verdicts = [v["text"].replace("\n", "") for v in j["verdicts"]]
    said = "".join(shown.paragraphs.get("verdicts", []))
    problems += [f"verdict missing: {v[:60]}" for v in verdicts if v not in said]
    return problems + problems_when_dark(open_in, page)


def is_good(name, words, compared):
    """Whether the page of a command shows what its JSON says. Prints what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "plan.yaml").write_text(PLAN, encoding="utf-8")
        page = pathlib.Path(folder) / "page.html"
        printed = subprocess.run([*words, "--json", "--report", str(page)], capture_output=True, text=True, check=False,
                                 cwd=folder).stdout
        problems = [f"{browser.__name__}: {problem}" for browser in (chromium, firefox)
                    for problem in compared(browser, page, json.loads(printed))]
    print(f"{name:<28} {'; '.join(problems) or 'as the JSON says'}")
    return not problems


def main():
    tarry, scenarios = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or USUAL
    good = [is_good(s, [tarry, "run", s], problems_of) for s in scenarios]
    if len(sys.argv) == 2:
        good.append(is_good("a sweep", [tarry, "sweep", "plan.yaml"], problems_of_sweep))
        good.append(is_good("two beside each other",
                            [tarry, "compare", "010_uneven_ps", "011_ps_apart", "--seeds", "3"], problems_of_sweep))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
