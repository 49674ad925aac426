"""Tables of results: :mod:`.grid` reads cells under :mod:`.headings`; :mod:`.csv`, :mod:`.markdown`, :mod:`.latex`."""
