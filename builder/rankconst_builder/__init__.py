"""The pipeline behind ``rankconst build``: benchmark files in, tables of constants out.

======================  ==========================================================
module                  step
======================  ==========================================================
``sources.toml``        the benchmarks: where their files are and how they are written
:mod:`.sources`         read that registry
:mod:`.fetch`           get the files: cache, mirror, archive members, hashes
:mod:`.triples`         bytes to integer triples
:mod:`.graph`           a dataset as integer triples per split, and what there is to say of it
:mod:`.candidates`      candidate counts of each ranking task, under each protocol
:mod:`.constants`       histograms to rows of the constants table
:mod:`.package`         write a set of tables, with its descriptor
:mod:`.pipeline`        the steps in order
======================  ==========================================================
"""
