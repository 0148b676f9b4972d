"""Speed, each figure beside its limit in the same run: `python -m benchmarks`."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program sets it, before numpy is imported
