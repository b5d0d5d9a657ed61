"""What keeps the suite's world apart from the gate's: environment, user, files."""
