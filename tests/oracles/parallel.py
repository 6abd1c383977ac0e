"""Many tasks on many processes, none of them lost."""

import multiprocessing


class Call:
    """A function that does not let StopIteration out: the loop over the results would end without a word."""

    def __init__(self, function):
        self.function = function

    def __call__(self, task):
        try:
            return self.function(*task)
        except StopIteration as error:
            raise RuntimeError(f"task {task}") from error


def run(function, tasks, jobs):
    """The results of the function on each tuple of arguments, in order: exactly one for each, or an exception."""
    with multiprocessing.Pool(jobs) as pool:
        results = list(pool.imap(Call(function), tasks))
    if len(results) != len(tasks):
        raise RuntimeError(f"{len(tasks)} tasks, {len(results)} results")
    return results
