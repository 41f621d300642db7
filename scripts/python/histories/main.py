"""The program `scripts/check-histories`."""

import asyncio
import json

from chaos.main import until_signal
from chaos.service import NotReady
from histories import options as command_line
from histories import run, self_test
from histories.operation import History


def main(text):
    options = command_line.parse(text)
    if options.check:
        with open(options.check) as file:
            return 1 if run.report_histories([History.loaded(one) for one in json.load(file)]) else 0
    work = self_test.execute(options) if options.self_test else run.execute(options)
    try:
        return asyncio.run(until_signal(work))
    except NotReady as error:
        print(f"check-histories: {error}")
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("ended by a signal")
        return 1
