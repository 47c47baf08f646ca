"""Charts and tables of result files: run `python3 plots/charts RECORDS -o DIR`."""
