"""One HTTP call to a service of the spec, bounded in time, size and where it may lead.

What asks the RAG system and what asks a judge both call through ``client``: the same
rules on hosts, redirects and credentials hold for both. It is imported by those that
call, and by no command that sends nothing.
"""
