"""What runs inside the sandbox, under the interpreter found there: standard library only, Python 3.9 or later, nothing of Redraft.

`program` runs one program. `answer` holds an untrusted program and answers calls; `suite` runs the tests and calls it through `wire`.
"""
