"""Why a request cannot be granted: what the matter is, the value, and what would be right."""

from __future__ import annotations

from http import HTTPStatus


class Refusal(Exception):
    """A request that cannot be granted."""

    status = HTTPStatus.BAD_REQUEST
    retry_after: int | None = None
    """Seconds after which it may be granted."""


class UnreadableError(Refusal):
    """It cannot even be read."""


class NotFoundError(Refusal):
    """What it is about is not there."""

    status = HTTPStatus.NOT_FOUND


class TooSlowError(Refusal):
    """It did not arrive in time."""

    status = HTTPStatus.REQUEST_TIMEOUT


class NotNowError(Refusal):
    """It does not fit how things are now."""

    status = HTTPStatus.CONFLICT


class TooLargeError(Refusal):
    """It is too large."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class WrongTypeError(Refusal):
    """It is not announced as JSON."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class WrongHostError(Refusal):
    """It is addressed to somebody else."""

    status = HTTPStatus.MISDIRECTED_REQUEST


class WrongError(Refusal):
    """It can be read, and something in it is wrong."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY


class BusyError(Refusal):
    """Others are being served."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    retry_after = 5


class FullError(Refusal):
    """The server can keep no more, or cannot write."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
