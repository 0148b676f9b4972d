VAR n = 5
VAR f = 2.5
VAR s = "words"
VAR b = true
CONST FIVE = 5
n {n}, f {f}, s {s}, b {b}, five {FIVE}
~ n = n * 2 + 1
~ n += 3
~ n -= 1
~ n++
~ n--
~ f = f + 1
~ s = s + " more"
~ b = not b
n {n}, f {f}, s {s}, b {b}
{n == 13: thirteen} {s == "words more": same} {s != "x": other} {s ? "more": has}
