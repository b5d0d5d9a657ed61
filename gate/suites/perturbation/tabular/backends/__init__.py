"""One module a kind of frame: how its columns are read as numbers or objects, and written back in their own dtype."""
