VAR name = "mill"
VAR s = ""
~ temp n = 4
~ s = "The {name} of {n > 3:many|{n}} {2 + 2}"
{s} {s == "": empty|full} {"x{n}" == "x4"}
