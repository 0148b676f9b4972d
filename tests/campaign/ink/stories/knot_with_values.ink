-> tell("Pike", 2)
== tell(who, times)
{who} tells it.
{times > 0: -> tell(who, times - 1)}
-> END
