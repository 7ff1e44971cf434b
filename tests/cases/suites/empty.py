# fault: no criteria
# line: any
