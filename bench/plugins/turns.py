"""Statistics of measurements that take turns."""
import math


def interval(values):
    """The 95% interval of the median, by order statistics."""
    ordered, count = sorted(values), len(values)
    low = max(0, math.floor(count / 2 - 0.98 * math.sqrt(count)))
    return ordered[low], ordered[count - 1 - low]
