"""Files that evaluation tools write, one module a tool."""
