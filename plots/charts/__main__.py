"""The command line: `python3 plots/charts RECORDS -o DIR`.

The package also runs as a folder, as pip does: then its parent is put on the module path.
"""

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from charts.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
