"""Files of records, as the program writes them with --json."""
import glob
import json
import os
import warnings
from typing import Any, Dict, List

from . import _call
from ._errors import UsageError
from ._results import flat, frame_of

Record = _call.Record


class Records(List[Record]):
    """Records with the context that they were written in (host, date, commit, command) joined, and nested keys flat."""

    def frame(self) -> Any:
        """A pandas DataFrame, or without pandas a list of dicts."""
        return frame_of(self)


def read(*files: Any) -> Records:
    """Reads result files, and folders of them: records of schemas 1 and 2. Each record has the keys of its context, too, with
    `context_` before those that it has itself, and the name of its `file`. Warns of a last line that is cut."""
    found = Records()
    for path in _paths(files):
        results: Dict[str, Any] = json.loads(_call.compiled().read_results(path))
        if results["cut_short"]:
            warnings.warn(f"the last line of {path} is incomplete and left out", stacklevel=2)
        contexts = results["contexts"]
        for record in results["records"]:
            index = record.pop("context", None)
            context = contexts[index] if index is not None else {}
            row = flat(record)
            for key, value in flat(context).items():
                if key not in ("kind", "schema"):
                    row[key if key not in row else f"context_{key}"] = value
            row["file"] = path
            found.append(row)
    return found


def _paths(files: Any) -> List[str]:
    paths: List[str] = []
    for one in files:
        for name in [one] if isinstance(one, (str, os.PathLike)) else list(one):
            path = os.fspath(name)
            paths += sorted(glob.glob(os.path.join(path, "*.jsonl"))) if os.path.isdir(path) else [path]
    if not paths:
        raise UsageError("no file of records: name one that --json wrote, such as results.jsonl")
    return paths
