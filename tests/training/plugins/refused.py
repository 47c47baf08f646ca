"""What the scripts that run as ranks of the PyTorch backend share."""


def refused(text, call):
    try:
        call()
    except RuntimeError as error:
        assert text in str(error), error
        return
    raise AssertionError(f"not refused: {text}")
