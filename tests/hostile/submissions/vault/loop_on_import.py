# technique: loops for ever when it is imported
# replaces: decode.py
# expect: decode-random blocked, decode-small timeout, decode-hidden-text timeout
# says: decode was stopped after
# says: the limit for one call
# says: while True:
while True:
    pass
