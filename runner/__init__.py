"""Judge a RAG system layer by layer, and say whether the change may be merged.

The program is one line; each word is a module or folder of this package:

    spec -> cases -> responses -> scores -> diagnosis -> gates -> report -> publish
"""

__version__ = "1.0.0"
