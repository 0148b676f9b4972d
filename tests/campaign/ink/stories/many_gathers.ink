One.
* a
- Two.
* b
- Three.
- Four. {true: five}
* * deep
  * * * deeper
- - six
- seven
