"""``python -m runner`` is ``rag-eval``."""

from runner.cli import main

if __name__ == "__main__":
    main()
