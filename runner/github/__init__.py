"""Everything that goes through GitHub: its API, and the commands of a workflow step."""
