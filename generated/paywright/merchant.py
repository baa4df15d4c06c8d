"""The merchant: its numbers and its keys."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.settings import BaseMerchant
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import ClassVar

    from paywright_runtime.signing.bank_signatures import CallSignature
    from paywright_runtime.signing.rsa import Signer, Verifier


class Merchant(BaseMerchant):
    """A merchant's numbers and keys.

    Args:
        app_id: unique id of the merchant app [2.1].
        private_key: the merchant's RSA key of 2048 bits: a `Path` to a file, or key text as PEM or one line of
            Base64, PKCS#8 or PKCS#1; or a `Signer` of your own, so that a KMS or an HSM signs.
        gateway_keys: the gateway's public keys, the same forms; several may be live at once. Or a `Verifier` of
            your own.
        merchant_no: unique id of the merchant; needed by accounts.list_authorized, cases.inquire and rates.query
            [2.1].
        member_id: stands in the withdraw-result query for the merchant's number; needed by withdrawals.query
            [4.15].
        sp_merchant_no: merchant id of the ISV service provider, for cases [4.9].
        merchant_id: merchant id of the token inquiry and of bank-style calls; needed by payment_tokens.inquire
            and snap.status [4.7, 4.17].
        snap_partner_id: partner id of bank-style calls, also called clientId; needed by snap.status and
            snap.cancel [4.17].
        snap_channel_id: device identification of bank-style calls; needed by snap.status and snap.cancel [4.17].
        snap_origin: origin domain of bank-style calls [4.17].
        snap_signature: how X-SIGNATURE is made, which the specification does not show; `SnapAsymmetric(...)`,
            `SnapSymmetric(...)`, or your own [4.17, 5.7].

    Raises:
        KeyProblem: a key cannot be used; the message says why and shows none of it.
    """

    __slots__ = (
        "app_id",
        "merchant_no",
        "member_id",
        "sp_merchant_no",
        "merchant_id",
        "snap_partner_id",
        "snap_channel_id",
        "snap_origin",
        "snap_signature",
    )

    PACKAGE: ClassVar[str] = "paywright"
    NUMBERS: ClassVar[tuple[str, ...]] = (
        "app_id",
        "merchant_no",
        "member_id",
        "sp_merchant_no",
        "merchant_id",
        "snap_partner_id",
        "snap_channel_id",
        "snap_origin",
    )
    REQUIRED: ClassVar[tuple[str, ...]] = ("app_id",)
    IDENTITY: ClassVar[tuple[str, ...]] = (
        "app_id",
        "merchant_no",
        "member_id",
        "sp_merchant_no",
        "merchant_id",
        "snap_partner_id",
    )
    CHOICES: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "snap_signature": {
            "asymmetric": "paywright.signatures:SnapAsymmetric",
            "symmetric": "paywright.signatures:SnapSymmetric",
        }
    }
    SETTINGS: ClassVar[tuple[str, ...]] = (
        "app_id",
        "merchant_no",
        "member_id",
        "sp_merchant_no",
        "merchant_id",
        "snap_partner_id",
        "snap_channel_id",
        "snap_origin",
        "snap_signature",
        "snap_client_secret",
        "snap_access_token",
    )

    @strip_frames
    def __init__(
        self,
        *,
        app_id: str,
        private_key: Path | str | bytes | Signer,
        gateway_keys: Sequence[Path | str | bytes] | Verifier,
        merchant_no: str | None = None,
        member_id: str | None = None,
        sp_merchant_no: str | None = None,
        merchant_id: str | None = None,
        snap_partner_id: str | None = None,
        snap_channel_id: str | None = None,
        snap_origin: str | None = None,
        snap_signature: CallSignature | None = None,
    ) -> None:
        self.app_id: str = app_id
        self.merchant_no: str | None = merchant_no
        self.member_id: str | None = member_id
        self.sp_merchant_no: str | None = sp_merchant_no
        self.merchant_id: str | None = merchant_id
        self.snap_partner_id: str | None = snap_partner_id
        self.snap_channel_id: str | None = snap_channel_id
        self.snap_origin: str | None = snap_origin
        self.snap_signature: CallSignature | None = snap_signature
        self._load(private_key, gateway_keys)
