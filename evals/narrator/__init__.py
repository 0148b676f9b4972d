"""A recorded narrator: answers written by hand to the product's own briefs, served over HTTP turn by turn."""
