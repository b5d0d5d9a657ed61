"""Two models on the same examples: what flipped, whether that is more than a retrain flips, and where."""
