"""Does what is made out of a sentence keep to it, and is it its own?

The cases, who wrote them and who has looked at them:

- `score.jsonl`: eight premises by a stranger; looked at since by whoever built the kits, so no measure any more.
- `fit.jsonl`, `fit-kinds.jsonl`: by the builders of the kits, for fitting.
- `fit-people.jsonl`: twelve of named people, groups, deadlines and odd players, by the builder of the stories of a
  premise's own trouble, who read everything that was made of them while building: for fitting only.

By that builder's own strict reading of the twelve (people, places, beats, endings, 22 to 24 each), 29 of 266 made
things fitted their premise before there were such stories. A blind reading over premises by others is still to come.
"""
