-> yard
== yard
* (knocked) Knock
  -> door.inside
* Walk on -> door
== door
{yard.knocked: They heard you.|Nobody heard you.}
-> inside
= inside
{door: through the door|by the window}
{not yard.knocked && door: quietly}
-> END
