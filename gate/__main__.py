"""`python -m gate` is `gate`."""

from gate.cli import main

if __name__ == "__main__":
    main()
