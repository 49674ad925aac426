"""Trace numbers to their ranking tasks."""
