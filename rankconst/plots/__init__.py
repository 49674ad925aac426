"""Pictures, drawn with matplotlib (the extra ``rankconst[plot]``); importing this package does not load it."""
