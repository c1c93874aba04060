"""Writes results: to the results folder, to GitHub, to files that the user named."""
