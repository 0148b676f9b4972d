"Well -- then," she says - quietly.
A <b>bold</b> word, 3 < 4 and 5 > 4.
- "He said: 'no'." It's 10% done & dusted.
