"""One file per way to reach the system under test; each makes one attempt at a case."""
