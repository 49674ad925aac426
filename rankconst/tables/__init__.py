"""Sets of tables: where they are, what they hold, and constants looked up in them."""
