# technique: loops for ever when it is imported
# replaces: decode.py
# expect: decode-random blocked, decode-small timeout, decode-hidden-text timeout
# says: decode was stopped after
# says: the limit for one call
# says: # round and round
while True:  # round and round
    pass  # round and round
