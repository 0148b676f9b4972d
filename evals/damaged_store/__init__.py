"""Is every damaged database refused or opened, with words and never with a traceback?"""
