- Begin.
* A
  text under A
  * * AA
      text under AA
  * * AB
      * * * ABA
      * * * ABB
      - - - met below
  - - met in the middle
* B
  plain
* C -> out
- met at the end
-> END
== out
Out. -> END
