"""The content as data: the course and its exercises, parsed once, with the place of everything that is wrong."""

from grader.course.course import Course
from grader.course.errors import CourseError
from grader.course.exercise import Exercise, FunctionSpec

__all__ = ["Course", "CourseError", "Exercise", "FunctionSpec"]
