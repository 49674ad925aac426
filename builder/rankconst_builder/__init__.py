"""The pipeline behind ``rankconst build``: benchmark files in, tables of constants out.

======================  ==========================================================
module                  step
======================  ==========================================================
:mod:`.fetch`           get the files: cache, mirror, archive members, hashes
:mod:`.triples`         bytes to integer triples
:mod:`.layout`          how the files of a user's own graph are written
:mod:`.graph`           a dataset as integer triples per split, and its statistics
:mod:`.restriction`     evaluations of some relations or entities only
:mod:`.candidates`      candidate counts of each ranking task, under each protocol
:mod:`.tallies`         counts to histograms of all tasks
:mod:`.tabulate`        histograms to rows of the tables
:mod:`.package`         write a set of tables, with its descriptor
:mod:`.pipeline`        the steps in order
:mod:`.memory`          the same for a graph in Python's memory
:mod:`.describe`        the documents of a release
:mod:`.release`         assemble a release; by how much its version must rise
:mod:`.site`            write static pages of a set, with a calculator
:mod:`.verify`          check a set
======================  ==========================================================
"""
