import Cryptography
import Domain
import Foundation

/// The keys of one form, one for each use: HKDF of the secret file's key, the form's salt and the use's name.
///
/// Separate keys matter: with a shared key, a crafted device key could forge a receipt. Inputs are length-prefixed.
final class FormKeys: Sendable {
    private let respondent: HMACSHA256
    private let key: HMACSHA256
    private let keyMAC: HMACSHA256
    private let bodyMAC: HMACSHA256
    private let receipt: HMACSHA256
    private let link: HMACSHA256

    init(secret: [UInt8], salt: [UInt8]) {
        func derive(_ use: String) -> HMACSHA256 {
            HMACSHA256(key: HKDF.sha256(key: secret, salt: salt, info: Array("afterword/1/\(use)".utf8), count: 32))
        }
        respondent = derive("respondent")
        key = derive("key")
        keyMAC = derive("key-mac")
        bodyMAC = derive("body-mac")
        receipt = derive("receipt")
        link = derive("link")
    }

    /// Returns a submission's id on a form that accepts one per respondent.
    func id(respondent: String) -> UUID {
        UUIDv8.make(self.respondent.authenticate(parts: [Array(respondent.utf8)]))
    }

    /// Returns a submission's id where the respondent is a person on the meeting's list.
    func id(attendee id: UUID) -> UUID { self.id(respondent: id.lowercased) }

    /// Returns a submission's id on an open form.
    func id(idempotencyKey: String) -> UUID {
        UUIDv8.make(key.authenticate(parts: [Array(idempotencyKey.utf8)]))
    }

    /// Returns 16 bytes that identify an `Idempotency-Key`.
    func mac(idempotencyKey: String) -> [UInt8] {
        Array(keyMAC.authenticate(parts: [Array(idempotencyKey.utf8)]).prefix(16))
    }

    /// Returns 16 bytes that identify a raw body.
    func mac(body: [UInt8]) -> [UInt8] {
        Array(bodyMAC.authenticate(parts: [body]).prefix(16))
    }

    /// Returns the receipt with which a submission's author proves authorship: the submission's id and 32 bytes that
    /// only this form's key can compute. It is derived when needed and never stored.
    func receipt(of id: UUID) -> String {
        Base64URL.encode(id.bytes + receiptMAC(id))
    }

    /// Returns the submission that a receipt belongs to; compares in constant time.
    func submission(receipt: String) -> UUID? {
        guard let bytes = Base64URL.decode(receipt), bytes.count == 48, let id = UUID(bytes: bytes.prefix(16)),
            constantTimeEquals(Array(bytes.suffix(32)), receiptMAC(id))
        else { return nil }
        return id
    }

    /// Returns a personal link's token: the attendee's id and 16 bytes that only this form's key can compute. It is not
    /// stored, so that neither creating nor using one writes anything.
    func token(attendee id: UUID) -> String {
        Base64URL.encode(id.bytes + linkMAC(id))
    }

    /// Returns the attendee of a token of this form; compares in constant time.
    func attendee(token: String) -> UUID? {
        guard let bytes = Base64URL.decode(token), bytes.count == 32, let id = UUID(bytes: bytes.prefix(16)),
            constantTimeEquals(Array(bytes.suffix(16)), linkMAC(id))
        else { return nil }
        return id
    }

    private func linkMAC(_ id: UUID) -> [UInt8] {
        Array(link.authenticate(parts: [id.bytes]).prefix(16))
    }

    private func receiptMAC(_ id: UUID) -> [UInt8] {
        receipt.authenticate(parts: [id.bytes])
    }
}

extension UUID {
    var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

    fileprivate init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
