"""Has the AWS CLI take each command of a list against an address where nobody listens; prints what it said of each."""

import contextlib
import io
import json
import sys

from awscli.clidriver import create_clidriver

# One for all commands: to load the services' models takes most of the time.
driver = create_clidriver()


def said_of(command, endpoint):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = driver.main([*command, "--endpoint-url", endpoint])
        except SystemExit as end:
            code = end.code
    return {"command": command, "code": code, "said": out.getvalue()}


endpoint = sys.argv[1]
json.dump([said_of(command, endpoint) for command in json.load(sys.stdin)], sys.__stdout__)
