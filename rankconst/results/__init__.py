"""Results files as they are found: read, adjusted, written again.

======================  ====================================================================================
module                  holds
======================  ====================================================================================
:mod:`.document`        a file's text, checked for size and encoding
:mod:`.columns`         what the heading of a column means
:mod:`.reading`         what readers return: the original table, and every number found in it
:mod:`.readers`         the registry of formats, and how a file's format is recognised
======================  ====================================================================================

Every further module is one family of formats.
"""
