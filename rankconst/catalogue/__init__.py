"""What the field has names for, as rows of data: metrics, protocols, tools, benchmarks.

Every other module asks a row; a new metric, protocol, tool or benchmark is a new row.
"""
