"""Tables of results: :mod:`.grid` reads cells under :mod:`.headings`; :mod:`.delimited`, :mod:`.markdown`, :mod:`.latex`."""
