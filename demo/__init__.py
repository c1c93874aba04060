"""A small RAG service over a helpdesk's knowledge base: what the quick start evaluates.

    tokens -> search -> pipeline -> faults -> server

It is real, and small enough to be wrong in honest ways: it finds words, not meanings,
and answers in the documents' own sentences. Only the standard library is used.
"""
