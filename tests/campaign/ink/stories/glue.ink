One line <>
goes on.
Another<>, with a comma.
- <> And glue at the head.
Plain.
