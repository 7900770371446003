"""Says of each file of run.sh how many times as fast the tuned choice is as what ships."""
import csv
import math
import sys

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # The library, which is tuned, is the rival: its time over that of what ships.
    ratios = [(float(row["ratio"]), float(row["ratio_lo"]), row["n"]) for row in rows]
    mean = math.exp(-sum(math.log(ratio) for ratio, _, _ in ratios) / len(ratios))
    least, _, at = min(ratios)
    lost = [f"{n} ({ratio:.3f})" for ratio, low, n in ratios if low > 1.01]
    print(
        f"{path.rsplit('/', 1)[-1]}: {len(rows)} n, tuned {mean:.4f} times as fast in the mean, at most "
        f"{1 / least:.3f} (n = {at}); slower by more than 1 % beyond noise: {', '.join(lost) or 'nowhere'}"
    )
