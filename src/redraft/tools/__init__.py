"""Tools by name, each imported when chosen."""
