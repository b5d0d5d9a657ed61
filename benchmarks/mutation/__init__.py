"""What prompt mutation must show; `python -m benchmarks.mutation`."""
