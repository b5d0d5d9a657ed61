"""What a sweep found, as numbers: by ε, over all ε, and as a status; and how alike near rows are answered."""
