"""Does what is made out of a sentence keep to it, and is it its own?"""
