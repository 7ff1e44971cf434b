# caught by: is_leap-years
# defect: Tells centuries apart and nothing else.

def is_leap(year: int) -> bool:
    return year % 400 == 0
