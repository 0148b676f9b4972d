-> house
== house
= hall
The hall.
* Up -> upstairs
* Away -> house.garden
= upstairs
Upstairs.
-> garden
= garden
The garden. {hall} {upstairs}
-> END
