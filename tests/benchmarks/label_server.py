"""An evaluator on another worker: a process that answers label prompts as an OpenAI-compatible server would.

Run as a program it prints its port and serves until its standard input ends:  python label_server.py LATENCY_S
"""

import asyncio
import json
import sys
from hashlib import blake2b

from aiohttp import web


async def answer(request):
    """Log-probabilities of A, B and C that depend on the prompt alone."""
    body = await request.json()
    await asyncio.sleep(request.app["latency"])
    digest = blake2b(body["messages"][-1]["content"].encode(), digest_size=3).digest()
    top = [{"token": letter, "logprob": -1 - byte / 64} for letter, byte in zip("ABC", digest, strict=True)]
    choice = {"message": {"content": "A"}, "logprobs": {"content": [{"top_logprobs": top}]}}
    return web.Response(body=json.dumps({"choices": [choice]}), content_type="application/json")


async def serve(latency):
    """Serve on a free port until the parent closes our standard input."""
    app = web.Application()
    app["latency"] = latency
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sys.stdout.write(f"{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
