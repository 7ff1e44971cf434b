# technique: prints what the grader prints where it has cut text, so that what is between is kept
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
def decode(codes):
    print("1 lines left out" + "\n." * 8000 + "\n1 lines left out")
    return ""
