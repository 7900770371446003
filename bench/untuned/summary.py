"""Says of each file of run.sh how many times as fast the tuned choice is as what ships."""
import csv
import math
import os
import sys


def place(row):
    return f"{row['rows']} x {row['len']}" if row["rows"] else row["n"]


for path in sys.argv[1:]:
    if not os.path.exists(path):
        continue
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # The library, which is tuned, is the rival: its time over that of what ships.
    ratios = [(float(row["ratio"]), float(row["ratio_lo"]), place(row)) for row in rows]
    what = "shapes" if rows[0]["rows"] else "n"
    mean = math.exp(-sum(math.log(ratio) for ratio, _, _ in ratios) / len(ratios))
    least, _, at = min(ratios)
    lost = [f"{place} ({ratio:.3f})" for ratio, low, place in ratios if low > 1.01]
    print(
        f"{path.rsplit('/', 1)[-1]}: {len(rows)} {what}, tuned {mean:.4f} times as fast in the mean, at most "
        f"{1 / least:.3f} ({at if rows[0]['rows'] else 'n = ' + at}); slower by more than 1 % beyond noise: "
        f"{', '.join(lost) or 'nowhere'}"
    )
