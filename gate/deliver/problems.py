"""What GitHub refused or could not do, with what to do about it."""

from __future__ import annotations

from gate.errors import DeliveryError

_WRITE = (
    "add `permissions: pull-requests: write` to the job; a pull request from a fork or from Dependabot has a token "
    "that only reads, and there the step summary holds the whole text"
)
_CREDENTIALS = "give the step `token: ${{ github.token }}`, or check that the token has not expired"
_LATER = "run the job again later; the step summary holds the whole text"
_REACH = "check GITHUB_API_URL, the proxy and the network of the runner; the step summary holds the whole text"


class ApiError(DeliveryError):
    """An answer of GitHub that is no success.

    Attributes:
        status: the HTTP status; 0 when there was no answer.
        uncertain: GitHub may have acted all the same.
    """

    def __init__(
        self, message: str, *, where: str = "", remedy: str = "", status: int = 0, uncertain: bool = False
    ) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.status = status
        self.uncertain = uncertain


def refused(status: int, said: str, where: str, *, token: bool) -> ApiError:
    """The error of an answer that is final.

    Args:
        said: GitHub's message, scrubbed; may be empty.
        where: method and path.
        token: whether a token was sent.
    """
    what, remedy = {
        401: ("GitHub does not accept the token" if token else "GitHub wants a token", _CREDENTIALS),
        403: ("the token may not do this" if token else "nobody may do this without a token", _WRITE),
        404: ("GitHub finds no such thing, or the token may not see it", _WRITE),
        410: ("GitHub says that it is gone", "check that issues are not disabled in the repository"),
        422: ("GitHub refuses the content", "report this with the size of the report"),
        429: ("GitHub limits the rate", _LATER),
    }.get(status, (f"GitHub answered with status {status}", _LATER))
    return ApiError(f"{what} ({status}{': ' + said if said else ''})", where=where, remedy=remedy, status=status)


def limited(status: int, seconds: float, where: str) -> ApiError:
    """The wait that GitHub asks for is longer than the wait that is left."""
    return ApiError(
        f"GitHub limits the rate and asks to wait {seconds:.0f} s, which is longer than the gate waits",
        where=where,
        remedy=_LATER,
        status=status,
    )


def unreachable(why: str, where: str) -> ApiError:
    """No answer, after all the attempts."""
    return ApiError(f"GitHub can't be reached: {why}", where=where, remedy=_REACH, uncertain=True)


def broken(status: int, where: str) -> ApiError:
    """GitHub is ill, after all the attempts."""
    return ApiError(f"GitHub answered with status {status}", where=where, remedy=_LATER, status=status, uncertain=True)


def elsewhere(where: str) -> ApiError:
    """An answer points to another host, which the token must not see."""
    return ApiError(
        "GitHub points to another host, and the token is not sent there",
        where=where,
        remedy="set GITHUB_API_URL to the address under which the server names itself",
    )


def too_large(limit: int, where: str) -> ApiError:
    """A download that is larger than anything the gate asks for."""
    return ApiError(
        f"the download is larger than the limit of {limit:,} bytes",
        where=where,
        remedy="upload only the files that the copied workflow names",
    )


def nonsense(where: str, expected: str) -> ApiError:
    """An answer that is no answer of GitHub."""
    return ApiError(f"the answer is not {expected}", where=where, remedy=_REACH)
