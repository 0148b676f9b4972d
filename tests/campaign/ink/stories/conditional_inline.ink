VAR x = 2
{x: yes|no} {x > 5: big|small} {x == 2: two}{x == 3: three}
{not x: none|some} {x && true: both} {x < 1 || x > 1: either}
~ x = 0
{x: yes|no}{x:never}.
