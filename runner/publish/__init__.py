"""Puts rendered text where people look."""
