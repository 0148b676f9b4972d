"""How good the answers are: labelled cases, metrics and tables. Speed is measured in `benchmarks`."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program sets it, before numpy is imported
