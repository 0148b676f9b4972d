Above. // not told
/* nor is
this */
Below. TODO is a word here.
TODO: but not here
At the end.
