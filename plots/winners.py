#!/usr/bin/python3
"""Prints who wins where, as Markdown; the same as `python3 plots/charts --winners`."""
import runpy
import sys

sys.argv.insert(1, "--winners")
runpy.run_module("charts", run_name="__main__", alter_sys=True)
