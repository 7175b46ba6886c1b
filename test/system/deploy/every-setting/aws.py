"""
The AWS CLI for shells, as one process that forks for each command: to load the CLI takes three quarters of a command's time.
Given a socket's path, it serves there until its standard input ends; a program `aws` beside the socket asks it.
"""

import json
import os
import signal
import socket
import sys
import threading
import traceback

from awscli.clidriver import create_clidriver

# No package is loaded, and so it starts in hundredths of a second.
client = """#!{python} -IS
import json, os, socket, sys
asked = {{"words": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as place:
    place.connect({path!r})
    socket.send_fds(place, [json.dumps(asked).encode()], [0, 1, 2])
    sys.exit(place.recv(1)[0])
"""
most_bytes = 200_000


def run(words, folder, environment):
    os.chdir(folder)
    # The CLI has put the place of its own data there.
    own = os.environ["AWS_DATA_PATH"]
    os.environ.clear()
    os.environ.update(environment, AWS_DATA_PATH=own)
    try:
        return create_clidriver().main(words)
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def answer(place):
    message, streams, _, _ = socket.recv_fds(place, most_bytes, 3)
    if os.fork() == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        code = 255
        try:
            code = run(**json.loads(message))
        except Exception:
            traceback.print_exc()
        finally:
            place.send(bytes([code]))
            os._exit(code)
    for stream in streams:
        os.close(stream)
    place.close()


def end_with_parent():
    while os.read(0, 1):
        pass
    os._exit(0)


path = sys.argv[1]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
create_clidriver()
listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listening.bind(path)
listening.listen(64)
program = os.path.join(os.path.dirname(path), "aws")
with open(program, "w", opener=lambda file, flags: os.open(file, flags, 0o755)) as file:
    file.write(client.format(python=sys.executable, path=path))
print("ready", flush=True)
threading.Thread(target=end_with_parent, daemon=True).start()
while True:
    answer(listening.accept()[0])
