#!/usr/bin/python3
"""Saves the figures of the lecture from the explorer's page with a headless Chromium.

    arlab explore -o explore.html
    /usr/bin/python3 docs/teaching/make_figures.py explore.html

Writes docs/teaching/figures/*.svg: for each algorithm one step on 8 ranks and the timeline with its critical path; the
crossover curves; the link loads on a torus.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "plots"))
import browser  # noqa: E402

# algorithm: the step on 8 ranks, and the panels that the lecture shows
STEPS = {"all_to_all": (1, ["talks"]), "master_worker": (1, ["talks", "time"]), "tree": (2, ["talks", "time"]),
         "butterfly": (2, ["talks", "holds"]), "round_robin": (3, ["talks", "holds"]), "ring": (3, ["holds", "time"])}
PANELS = {"talks": ("", "svg.stage"), "holds": ("", "svg.holdings"),
          "time": ("&view=time&p.gamma=40&time=400", "svg.timeline")}


def main(page_file: str, folder: Path = HERE / "figures") -> None:
    page = browser.Browser()
    page.size(1280, 900)
    folder.mkdir(exist_ok=True)

    def take(name: str, link: str, selector: str) -> None:
        page.open(f"{Path(page_file).resolve().as_uri()}#{link}")
        page.run("document.documentElement.dataset.theme = 'light'")
        (folder / f"{name}.svg").write_text(page.run(f"svgText(document.querySelector({selector!r}))") + "\n")

    for name, (step, panels) in STEPS.items():
        for panel in panels:
            more, selector = PANELS[panel]
            take(f"{name}_{panel}", f"algorithm={name}&ranks=8&step={step}{more}", selector)
    take("crossover", "view=curves&ranks=64", "svg.curves")
    take("torus_links", "view=network&model=fluid&topology=torus:dims=4x4&ranks=16&algorithm=butterfly", "svg.heat")
    page.close()


if __name__ == "__main__":
    if len(sys.argv) != 2 or not browser.BROWSER:
        sys.exit(__doc__ if browser.BROWSER else "needs a browser: apt install chromium")
    main(sys.argv[1])
