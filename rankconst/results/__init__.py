"""Results files as they are found: read, adjusted and laid out again."""
