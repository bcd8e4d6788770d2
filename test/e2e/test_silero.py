# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file of silero-vad against ONNX Runtime: a waveform in chunks, the state of each call given to the next."""
import unittest

import numpy
import support
from support import error_bound, oracle

# On the way of a chunk: the transform (256 samples), four convolutions of three taps, two products of the LSTM.
REDUCTIONS = [256, 3 * 129, 3 * 128, 3 * 64, 3 * 64, 128, 128, 128, 16, 16, 16]
CHUNKS = 12


def speech(rate, seconds, seed=5):
    """Voiced syllables with pauses between them, over a little noise."""
    generator = numpy.random.default_rng(seed)
    time = numpy.arange(int(rate * seconds)) / rate
    pitch = 120 + 20 * numpy.sin(2 * numpy.pi * 0.7 * time)
    phase = 2 * numpy.pi * numpy.cumsum(pitch) / rate
    voice = sum(numpy.sin(k * phase) / (1 + abs(k * 120 - 600) / 300) for k in range(1, 25))
    syllables = numpy.clip(numpy.sin(2 * numpy.pi * 3 * time), 0, 1) * (numpy.sin(2 * numpy.pi * 0.5 * time) > -0.3)
    return (0.1 * voice * syllables + 0.002 * generator.standard_normal(time.size)).astype(numpy.float32)


def chunks(rate):
    """[1, context + chunk] each: a chunk of 32 ms after the end of the one before."""
    size, context = rate * 32 // 1000, rate * 4 // 1000
    wave = numpy.concatenate([numpy.zeros(context, numpy.float32), speech(rate, 0.032 * CHUNKS)])
    return [wave[n * size:(n + 1) * size + context][None] for n in range(CHUNKS)]


class SileroTest(support.EndToEnd):
    def stream(self, variant, extra, rate=16000):
        name = f"silero_vad{variant}"
        reference = oracle(name)
        # Ours and ONNX Runtime's states go their own ways: errors may not grow from chunk to chunk.
        ours = theirs = numpy.zeros((2, 1, 128), numpy.float32)
        spread = []
        for chunk in chunks(rate):
            probability, ours = self.run_model(name, {"input": chunk, "state": ours, **extra}, ["output", "stateN"])
            want, theirs = reference({"input": chunk, "state": theirs, **extra})
            self.assert_close(probability, want, error_bound(REDUCTIONS * 2, 1.0))
            self.assert_close(ours, theirs, error_bound(REDUCTIONS * 2, max(1.0, float(numpy.abs(theirs).max()))))
            spread.append(float(want[0, 0]))
        # A stream on which the model always says the same would prove little.
        self.assertGreater(max(spread) - min(spread), 0.05)

    def test_both_rates(self):
        for variant in ("", "_op18_ifless"):
            for rate in (16000, 8000):
                with self.subTest(variant=variant, rate=rate):
                    self.stream(variant, {"sr": numpy.array(rate, numpy.int64)}, rate)

    def test_rate_as_an_input(self):
        self.stream("_16k_op15", {"sr": numpy.array(16000, numpy.int64)})

    def test_one_rate(self):
        for variant in ("_half", "_openvino_16k"):
            with self.subTest(variant=variant):
                self.stream(variant, {})

    def test_batch(self):
        """Two streams in one call. The file that fixes the number of streams is left out."""
        inputs = numpy.concatenate([chunks(16000)[4], chunks(16000)[7]])
        state = numpy.random.default_rng(1).uniform(-0.5, 0.5, (2, 2, 128)).astype(numpy.float32)
        for variant in ("_half", "_op18_ifless"):
            with self.subTest(variant=variant):
                feed = {"input": inputs, "state": state}
                if variant == "_op18_ifless":
                    feed["sr"] = numpy.array(16000, numpy.int64)
                name = f"silero_vad{variant}"
                got = self.run_model(name, feed, ["output", "stateN"])
                for value, want in zip(got, oracle(name)(feed)):
                    self.assert_close(value, want, error_bound(REDUCTIONS * 2, 1.0))

    def test_sequence(self):
        """All chunks in one call: the LSTM is a loop whose length the call decides."""
        name = "silero_vad_16k_sequence"
        reference = oracle(name)
        wave = numpy.concatenate(chunks(16000))
        for length in (1, 2, CHUNKS):
            feed = {"input": wave[:length], "h": numpy.zeros((1, 1, 128), numpy.float32),
                    "c": numpy.zeros((1, 1, 128), numpy.float32)}
            got = self.run_model(name, feed, ["speech_probs", "hn", "cn"])
            for value, want in zip(got, reference(feed)):
                self.assert_close(value, want, error_bound(REDUCTIONS * 2, max(1.0, float(numpy.abs(want).max()))))

    def test_quantised(self):
        """In 8 bits, a step that is rounded the other way is as far off as the quantisation is fine: 1/255 of a range."""
        feed = {"input": numpy.concatenate(chunks(16000)), "h": numpy.zeros((1, 1, 128), numpy.float32),
                "c": numpy.zeros((1, 1, 128), numpy.float32)}
        got = self.run_model("silero_dq8", feed, ["speech_probs", "hn", "cn"])
        want = oracle("silero_dq8")(feed)
        self.assertGreater(float(numpy.ptp(want[0])), 0.05)
        for value, expected in zip(got, want):
            self.assert_close(value, expected, max(1.0, float(numpy.abs(expected).max())) / 255)

    def test_chunk_of_another_length(self):
        """Three frames do not fit the decoder: its condition on sizes fails the call, with the node that would."""
        state = self.save("state", numpy.zeros((2, 1, 128), numpy.float32))
        wave = self.save("wave", numpy.zeros((1, 4096), numpy.float32))
        self.assert_fails(1, "LSTM", "run", support.artifact("silero_vad_half"), f"--input=input={wave}",
                          f"--input=state={state}", "--output=output=@" + str(self.file("y")),
                          "--output=stateN=@" + str(self.file("s")))


if __name__ == "__main__":
    unittest.main()
