"""What stands between the loop and a tool that may fail: see `guarded`."""
