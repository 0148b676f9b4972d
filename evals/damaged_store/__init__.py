"""Is every damaged file of a home refused or opened, with words and never with a traceback?"""
