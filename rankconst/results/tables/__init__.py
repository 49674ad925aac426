"""Tables of results: from the cells of any container to numbers with their addresses.

The readers of containers (:mod:`.delimited`, :mod:`.markdown`, :mod:`.latex` with :mod:`.tex`,
:mod:`.printed`, :mod:`.xlsx`) find tables with the texts that belong to them (:mod:`.near`), and
know nothing of results. :mod:`.grid` finds the heading of each (:mod:`.headings`), and puts its
rows into a sheet (:mod:`.sheet`), which is a table by column. From that come its numbers
(:mod:`.cells`, :mod:`.units`), and what the other columns (:mod:`.layout`) and the rows
(:mod:`.contexts`) say of them.

Words
-----
address
    Which ranking tasks a number is of, as far as the file says it: dataset, split, side, protocol
    and the like, with the questions that are open.
label
    A piece of text, such as a heading or a caption, with what it declares of an address.
level
    A row of a heading; the upper ones span columns.
measure
    A column of numbers of a metric.
role
    What the cells of another column are: the dataset, the split, the model ...
corner
    The heading above the names of the rows.
wide, long
    A wide table has a column for each metric; a long one names the metric in one column and has
    the value in another.
"""
