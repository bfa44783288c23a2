"""Language models by name, each imported when chosen."""
