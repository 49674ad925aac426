"""Tables of results: :mod:`.grid` reads the cells of all containers under :mod:`.headings`."""
