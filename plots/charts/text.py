"""Text of numbers with units, and labels that fit. Needs no matplotlib."""


def plain(text: str) -> str:
    """Replaces control characters, which SVG cannot hold."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def shortened(text: str, limit: int = 18) -> str:
    """Returns the text as it fits beside a panel."""
    return plain(text) if len(text) <= limit else plain(text[:limit - 1]) + "…"


def cell(text: str) -> str:
    """Returns the text as it can stand in a Markdown table: no markup, no line ends."""
    return "".join(f"\\{c}" if c in "\\|<>`*[]" else c for c in plain(text))


def code(text: str) -> str:
    """Returns the text as code in a Markdown table."""
    return f"`{plain(text).replace('`', chr(0x2019)).replace('|', chr(92) + '|')}`"


def bytes_text(count: float, digits: int = 4) -> str:
    """Returns 1 KiB, 1.5 MiB: binary units, as in sweeps of sizes."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.{max(digits, len(str(int(count))))}g} {unit}"
        count /= 1024
    return f"{count:.4g} TiB"


def count_text(count: float) -> str:
    return f"{count:,.0f}"


def time_text(us: float) -> str:
    """Returns 10 ns, 1 µs, 1 ms, 1 s from microseconds."""
    for unit, scale in (("s", 1e6), ("ms", 1e3), ("µs", 1.0), ("ns", 1e-3)):
        if us >= scale:
            return f"{us / scale:.4g} {unit}"
    return f"{us * 1e6:.4g} ps"


def rate_text(gbits: float) -> str:
    """Returns 100 Mbit/s, 1 Gbit/s from Gbit/s."""
    for unit, scale in (("Gbit/s", 1.0), ("Mbit/s", 1e-3)):
        if gbits >= 0.9995 * scale:
            return f"{gbits / scale:.4g} {unit}"
    return f"{gbits * 1e6:.4g} kbit/s"
