"""Writes files: the results folder, a history, and single files that the user named."""
