"""Learning as data: what was done and when, what is due, and whether an answer is right. Pure: no files, no clock."""

from grader.study.due import Due, due_in, due_questions, next_day, place
from grader.study.history import BrokenHistory, Event, History, NewerHistory
from grader.study.judging import Unreadable, judge

__all__ = [
    "BrokenHistory",
    "Due",
    "Event",
    "History",
    "NewerHistory",
    "Unreadable",
    "due_in",
    "due_questions",
    "judge",
    "next_day",
    "place",
]
