#!/usr/bin/env python3
"""Opens report pages in headless Chromium and compares what they show with `tarry run --json`.

    results/page/in_browser.py TARRY [SCENARIO...]

A page must open without a message in the console, within two seconds, light and dark, and its tables must have the
figures of the JSON. Exit code: 0 = all do, 1 = one does not."""

import html.parser
import json
import pathlib
import subprocess
import sys
import tempfile

USUAL = ["010_uneven_ps", "015_workers64_backup4", "020_resnet50_gpu", "030_local", "047_chief_dies_checkpoint",
         "059_async8", "066_stale_sync", "085_one_busy_ps"]
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


def chromium(page, *options):
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           *options, page.as_uri()], capture_output=True, text=True, timeout=120, check=False)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


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


def problems_of(page, j):
    text, console = chromium(page, "--dump-dom")
    shown = Shown()
    shown.feed(text)
    problems = [f"console: {line}" for line in console]
    if "data-drawn" not in shown.attributes:
        return problems + ["it is not drawn"]
    if float(shown.attributes["data-drawn"]) > LONGEST:
        problems.append(f"it takes {shown.attributes['data-drawn']} ms")
    for section, rows in expected_tables(j).items():
        got = [row[:len(rows[0])] for row in shown.tables.get(section, [])[1:]]
        if got != rows:
            problems.append(f"{section}: expected {rows[:2]}, got {got[:2]}")
    verdicts = [v["text"].replace("\n", "") for v in j["verdicts"]]
    said = "".join(shown.paragraphs.get("verdicts", []))
    problems += [f"verdict missing: {v[:60]}" for v in verdicts if v not in said]
    dark, console = chromium(page, "--dump-dom", "--blink-settings=preferredColorScheme=0")
    if 'data-theme="dark"' not in dark or console:
        problems.append(f"dark: {console}")
    return problems


def main():
    tarry, scenarios = sys.argv[1], sys.argv[2:] or USUAL
    bad = 0
    for scenario in scenarios:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            printed = subprocess.run([tarry, "run", scenario, "--json", "--report", str(page)], capture_output=True,
                                     text=True, check=False).stdout
            problems = problems_of(page, json.loads(printed))
        bad += bool(problems)
        print(f"{scenario:<28} {'; '.join(problems) or 'as the JSON says'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
