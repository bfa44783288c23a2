"""Measuring which policy pays off: data rows, metrics, statistics, evaluation, the demonstration."""
