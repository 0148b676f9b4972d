"""Does what is made out of a sentence keep to it, and is it its own?

The cases, who wrote them and who has looked at them:

- `score.jsonl`: eight premises by a stranger; looked at since by whoever built the kits: no measure any more.
- `fit.jsonl`, `fit-kinds.jsonl`: by the builders of the kits, for fitting.
- `fit-people.jsonl`: twelve of named people, groups, deadlines and odd players, by the builder of the stories
  of a premise's own trouble, who read all that was made of them while building: for fitting only.

Before there were such stories that builder read four of the twelve whole and skimmed the others: about one
made thing in ten fitted its premise. Afterwards all twelve were read, and about six in seven fitted. These
are estimates, not counts, and whoever writes the stories is a kind reader of them: a blind reading over
premises by others is still to come.
"""
