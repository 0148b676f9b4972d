"""Reads and runs stories written in ink: source text in, paragraphs and choices out.

scanner, expressions, content, parser         source text to a syntax tree, every part with its line
naming, weave, expression_compiler, compiler  the tree to a flat program, every name resolved
values, functions, chance, output, machine    run the program from one choice to the next
state                                         what a run is between two choices, as plain data
story                                         what the rest of the product uses
"""
