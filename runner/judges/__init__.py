"""One file per way to have texts rated: chat.py asks a model, recorded.py a file."""
