"""Does a search find what somebody asks about? Ours beside BM25 alone and cosine alone.

`python -m evals.retrieval run` prints the tables, `python -m evals.retrieval fit` fits the calibration of
`relevance` anew on the fit split. The cases were written for this: `cases/<topic>.records.jsonl` holds what
is remembered in a story, or known of a world, and `cases/<topic>.queries.jsonl` what is asked, with a grade
for every record that answers it (2 answers, 1 belongs to the answer). `cases/splits.json` says which topics
the calibration is fitted on and which it is reported on; a topic is whole in one of them.
"""
