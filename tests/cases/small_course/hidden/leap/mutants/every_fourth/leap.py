# caught by: is_leap-centuries
# defect: Leaves the centuries out.

def is_leap(year: int) -> bool:
    return year % 4 == 0
