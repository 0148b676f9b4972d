We hurried home -> fast
== fast
as fast as we could.
Then <> -> slow
== slow
slowly. -> END
