"""Train the model and say how good it is: `python train.py`."""

from __future__ import annotations

from model import load_split, train


def main() -> None:
    split = load_split()
    model = train(split)
    print(f"accuracy on {len(split.x_test)} unseen rows: {model.score(split.x_test, split.y_test):.4f}")


if __name__ == "__main__":
    main()
