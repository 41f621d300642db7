import Cryptography
import Domain
import Foundation

/// The keys of one form. Each is derived for one purpose by HKDF, from a key of the secret file, the form's salt and
/// the name of the purpose.
///
/// Separate keys are necessary, because with a shared key a crafted device key could yield a valid receipt. The inputs
/// of all MACs are length-prefixed.
package final class FormKeys: Sendable {
    private let respondent: HMACSHA256
    private let idempotency: HMACSHA256
    private let keyMAC: HMACSHA256
    private let bodyMAC: HMACSHA256
    private let receipt: HMACSHA256
    private let link: HMACSHA256

    package init(secret: [UInt8], salt: [UInt8]) {
        func derive(_ purpose: String) -> HMACSHA256 {
            HMACSHA256(key: HKDF.sha256(key: secret, salt: salt, info: Array("afterword/1/\(purpose)".utf8), count: 32))
        }
        respondent = derive("respondent")
        idempotency = derive("key")
        keyMAC = derive("key-mac")
        bodyMAC = derive("body-mac")
        receipt = derive("receipt")
        link = derive("link")
    }

    /// Returns a submission's id for a form that accepts one submission per respondent.
    func id(respondent: String) -> UUID {
        UUIDv8.make(self.respondent.authenticate(parts: [Array(respondent.utf8)]))
    }

    /// Returns a submission's id for a form whose respondents are the people on the meeting's list.
    func id(attendee id: UUID) -> UUID { self.id(respondent: id.lowercased) }

    /// Returns a submission's id for a form with the identity `open`.
    package func id(idempotencyKey: String) -> UUID {
        UUIDv8.make(idempotency.authenticate(parts: [Array(idempotencyKey.utf8)]))
    }

    /// Returns 16 bytes that identify an `Idempotency-Key`.
    package func mac(idempotencyKey: String) -> [UInt8] {
        Array(keyMAC.authenticate(parts: [Array(idempotencyKey.utf8)]).prefix(16))
    }

    /// Returns 16 bytes that identify the raw body of a request.
    package func mac(body: [UInt8]) -> [UInt8] {
        Array(bodyMAC.authenticate(parts: [body]).prefix(16))
    }

    /// Returns the receipt with which the author of a submission proves authorship. It consists of the submission's id
    /// and 32 bytes that can be computed only with this form's key. It is derived when needed and never stored.
    package func receipt(of id: UUID) -> String {
        Base64URL.encode(id.bytes + receiptMAC(id))
    }

    /// Returns the submission to which a receipt belongs; nil for an invalid receipt. Compares in constant time.
    func submission(receipt: String) -> UUID? {
        guard let bytes = Base64URL.decode(receipt), bytes.count == 48, let id = UUID(bytes: bytes.prefix(16)),
            constantTimeEquals(Array(bytes.suffix(32)), receiptMAC(id))
        else { return nil }
        return id
    }

    /// Returns the token of a personal link. It consists of the attendee's id and 16 bytes that can be computed only
    /// with this form's key. Tokens are not stored, so creating or using one writes nothing.
    func token(attendee id: UUID) -> String {
        Base64URL.encode(id.bytes + linkMAC(id))
    }

    /// Returns the attendee to whom a token belongs; nil for an invalid token. Compares in constant time.
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
