# A short run of fuzz.py; the long one is fuzz.py itself.
# SPDX-License-Identifier: LGPL-3.0-or-later
import fuzz


def test_random_calls():
    fuzzer = fuzz.run(2000, 1)
    # The calls are neither all good nor all bad, and reach many kinds of errors.
    assert fuzzer.returned > 700 and sum(fuzzer.raised.values()) > 200 and len(fuzzer.raised) > 6
