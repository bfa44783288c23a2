"""`python -m redraft.cli`: the command line without the console script."""

from redraft.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
