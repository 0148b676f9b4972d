"""How good the answers are: labelled cases, metrics and tables. Speed is measured in `benchmarks`."""
