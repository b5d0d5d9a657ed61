"""The values in flight between the stages, and the names that everyone shares."""
