"""``python -m runner`` is ``rag-eval``."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while all is imported

from runner.cli import main  # noqa: E402 - after the signal

if __name__ == "__main__":
    main()
