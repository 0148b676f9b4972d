The mill stands still.
It has stood still for years.   And   wide   spaces close up.

An empty line is none.
