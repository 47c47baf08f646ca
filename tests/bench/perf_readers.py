"""How known programs read the output of nccl-tests: their rules, written anew from their documentation and sources.

Each returns what the program would take from the text, or None where it would call the run failed.
"""

import re


def superbench(text):
    """SuperBench: places of columns from the header that names time and busbw; the size from the left, all others
    counted from the right end. Rows begin with a digit, between the line of places and `Out of bounds values`."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if "out-of-place" in line), None)
    stop = next((i for i, line in enumerate(lines) if "Out of bounds values" in line), None)
    if start is None or stop is None:
        return None
    header = next((line for line in lines[start:stop] if "time" in line and "busbw" in line), None)
    if header is None:
        return None
    names = header[1:].split()
    size = names.index("size")
    time, algbw, busbw = (names.index(name) - len(names) for name in ("time", "algbw", "busbw"))
    rows = {}
    for line in lines[start:stop]:
        fields = line.split()
        if fields and fields[0].isdigit():
            rows[int(fields[size])] = (float(fields[time]), float(fields[algbw]), float(fields[busbw]))
    return rows


def cloudai(text):
    """CloudAI: rows of exactly 13 fields that begin with a digit; devices; the two closing lines."""
    if "# Out of bounds values" not in text or "# Avg bus bandwidth" not in text or "Test NCCL failure" in text:
        return None
    rows = [line.split() for line in text.splitlines() if re.match(r"\s*\d", line)]
    rows = [fields for fields in rows if len(fields) == 13]
    devices = re.findall(r"Rank\s+(\d+).*on\s+(\S+)\s+device\s+(\d+).*NVIDIA", text)
    keys = "size count type redop root time algbw busbw wrong in_time in_algbw in_busbw in_wrong".split()
    return {"rows": [dict(zip(keys, fields)) for fields in rows], "devices": devices}


def azurehpc(text):
    """azurehpc health checks: the 6th word of the line with `bandwidth`; any FAILED fails the node."""
    if "FAILED" in text:
        return None
    words = next(line.split() for line in text.splitlines() if "bandwidth" in line)
    return float(words[5])


def flagperf(text):
    """FlagPerf and many scripts: the last word of `# Avg bus bandwidth`."""
    line = next(line for line in text.splitlines() if "# Avg bus bandwidth" in line)
    return float(line.split()[-1])


def msccl_scripts(text):
    return re.search(r"# Out of bounds values : 0 OK", text) is not None
