"""The judge: ``chat`` asks a model, ``recorded`` reads stored replies."""
