# title: The Mill
# author: Nobody
The mill stands. # art: mill.png
* [Go # icon] Go on. # loud
* Stay # quiet
- # alone
After the tag.
-> END
