#!/usr/bin/env python3
"""Makes the pictures of report pages in docs/pictures: light, dark, printed, and of a sweep.

    docs/pictures/make_pages.py TARRY

Look at each of them before it is committed. Needs chromium, pdftoppm (poppler-utils) and PIL (python3-pil)."""
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
SIZE, COLOURS, MOST_BYTES = (1100, 860), 64, 60_000
PLAN = """title: Policies for 8 and 16 workers whose steps have a heavy tail
scenario: heavy_tail
axes:
  cluster.workers: [8, 16]
  policy:
    sync: {build.protocol: sync}
    backup: {build.protocol: sync, build.backup_workers: 1}
    async: {build.protocol: async}
seeds: 8
measures: [gradients_per_second, step_time_p50]
"""


def chromium(page, *options):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options,
                    page.as_uri()], check=True, capture_output=True, timeout=120)


def shot(page, picture, *options):
    chromium(page, f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={picture}", *options)


def printed(page, picture):
    chromium(page, "--no-pdf-header-footer", f"--print-to-pdf={picture.with_suffix('.pdf')}")
    subprocess.run(["pdftoppm", "-r", "90", "-png", "-singlefile", picture.with_suffix(".pdf"),
                    picture.with_suffix("")], check=True)


def keep(picture, name):
    """As a picture of few colours, which is small."""
    kept = HERE / name
    Image.open(picture).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(kept, optimize=True)
    size = kept.stat().st_size
    print(f"{name}: {size} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{name} is larger than {MOST_BYTES} bytes")


def main():
    tarry = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page, picture, plan = folder / "page.html", folder / "picture.png", folder / "plan.yaml"
        # The scenario stands beside a plan, as it does beside those that ship.
        (folder / "heavy_tail").symlink_to(HERE.parent.parent / "scenarios/plans/heavy_tail")
        plan.write_text(PLAN, encoding="utf-8")

        def page_of(*words):
            subprocess.run([tarry, *words, "--report", page], check=True, capture_output=True, cwd=folder)

        page_of("run", "040_worker_dies")
        shot(page, picture)
        keep(picture, "page_light.png")
        page_of("run", "015_workers64_backup4")
        shot(page, picture, "--blink-settings=preferredColorScheme=0")
        keep(picture, "page_dark.png")
        page_of("run", "010_uneven_ps")
        printed(page, picture)
        keep(picture, "page_printed.png")
        page_of("sweep", plan)
        shot(page, picture)
        keep(picture, "page_sweep.png")


if __name__ == "__main__":
    main()
