"""Results files as they are found: read, adjusted, laid out again.

======================  ==========================================================================================
module                  holds
======================  ==========================================================================================
:mod:`.document`        a file's text, checked for size and encoding
:mod:`.reading`         what readers return: the original table, and every number found in it
:mod:`.readers`         the registry of formats, and how a file's format is recognised
:mod:`.columns`         what the heading of a column means
:mod:`.tabular`         from a grid of cells to the numbers in it; shared by all formats of tables
:mod:`.cells`           a row, and what the text of a cell is
:mod:`.headings`        what the first rows of a table make its columns
:mod:`.rows`            the numbers of the rows below
:mod:`.notes`           what was left out of a table, and why
:mod:`.structured`      JSON and YAML, read safely; shared by the tools' own files
:mod:`.logs`            what evaluations print, line by line; shared by all formats of logs
:mod:`.grouping`        which numbers are of one evaluation
:mod:`.numbers`         the numbers of a file with what their writing leaves open; for lint and identify
:mod:`.adjusting`       every number adjusted, or the reason why not
======================  ==========================================================================================

Every further module is one format.
"""

__all__: list[str] = []
