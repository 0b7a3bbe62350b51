"""With what results were made, where that is another here."""

from collections.abc import Iterator, Mapping
from typing import Any

from explorative_user_env.results.records import package_digest, stream_fingerprint, versions_of
from explorative_user_env.verification.findings import Finding

UNKNOWN = "unknown"


def other_versions(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield in a line each with what else a file was made than is here.

    Args:
        request: what was asked for, and with what, as a file of runs has it.
    """
    there, here = request.get("versions", {}), versions_of()
    if not there:
        yield "the file does not say with which versions it was made"
        return
    words = [
        f"{name} is {there.get(name, UNKNOWN)} there and {here.get(name, 'not installed')} here"
        for name in {**there, **here}
        if there.get(name) != here.get(name)
    ]
    if words:
        yield f"other versions: {', '.join(words)}"
    code = request.get("made with", {}).get("code", UNKNOWN)
    if code != package_digest():
        yield (
            f"other code of the package: its digest is {code} there and {package_digest()} here; "
            "the rows are compared all the same"
        )


def other_streams(request: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield that random streams are drawn otherwise here, which explains rows that are others."""
    there = request.get("made with", {}).get("streams")
    here = stream_fingerprint()
    if request.get("versions") and there != here:
        words = (
            f"the random streams are others: their fingerprint is {there or UNKNOWN} there and "
            f"{here} here, as of another NumPy"
        )
        yield Finding("streams", words, there=there, here=here)
