-> yard
== yard
* Knock -> door.inside
* Walk -> door
* label -> door.lab
== door
Door.
- (lab) lab {door} {lab}
-> inside
= inside
{door} {inside}
* again -> inside
* again lab -> lab
* again door -> door
* {false} -> END
