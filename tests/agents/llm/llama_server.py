"""A real OpenAI-compatible server in a process of its own; run as a script, it prints its address when ready.

Arguments: path of a GGUF, and the API key it asks for ("" for none). It ends with its standard input.
"""

import sys


def serve(gguf: str, key: str) -> None:
    """Serve until standard input ends; one thread, because with more it collapses beside other load."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 2
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 2
    params.warmup = False
    params.verbosity = 0
    if key:
        params.api_keys = [key]
    server = xllamacpp.Server(params)
    sys.stdout.write(server.listening_address + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2])
