"""Speed, each figure beside its limit in the same run: `python -m benchmarks`."""
