#!/usr/bin/python3
"""Draws charts of result files; the same as `python3 plots/charts`."""
import runpy

runpy.run_module("charts", run_name="__main__", alter_sys=True)
