"""Reads stories written for Twine (Twee 3): passages become the flows of a story that ink's machine runs.

brackets, expressions   links, calls, conditions and values of SugarCube, Harlowe and Chapbook
passage, chapbook       one passage: its text, its links, its macros
story                   a whole file
"""
