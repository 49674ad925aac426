"""Logs of evaluations: what they share, the formats of tools, and that of any other log.

A log is read to a long table: a row for each number, with columns for what its lines say. A *rule*
is a pattern of lines that say something. Lines with numbers give values; a *heading* is a line
above that says what they are; *settings* name the dataset; a *sign* is what only one tool prints. A
format may *refine* its numbers, for what no single line says. In a log of unknown make, a *block*
is of consecutive lines with numbers, and the lines between two blocks belong to the second.
"""
