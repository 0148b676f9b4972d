A \{ brace, a \| bar, a \# hash, a back\\slash.
* \[An offer in brackets\]
* {1 == 1} \{so\}
- Done \-> not a divert.
