import Cryptography
import Domain
import Foundation

/// The keys of one form, one for each use: HKDF of the secret file's key, the form's salt and the use's name.
///
/// Separate keys matter: with one for all, a crafted device key could forge a receipt. Inputs are length-prefixed.
struct FormKeys: Sendable {
    private let respondent: [UInt8]
    private let key: [UInt8]
    private let keyMAC: [UInt8]
    private let bodyMAC: [UInt8]
    private let receipt: [UInt8]
    private let link: [UInt8]

    init(secret: [UInt8], salt: [UInt8]) {
        func derive(_ use: String) -> [UInt8] {
            HKDF.sha256(key: secret, salt: salt, info: Array("afterword/1/\(use)".utf8), count: 32)
        }
        respondent = derive("respondent")
        key = derive("key")
        keyMAC = derive("key-mac")
        bodyMAC = derive("body-mac")
        receipt = derive("receipt")
        link = derive("link")
    }

    /// A submission's id on a form that takes one from each respondent.
    func id(respondent: String) -> UUID {
        UUIDv8.make(HMACSHA256.authenticate(parts: [Array(respondent.utf8)], key: self.respondent))
    }

    /// The same where the respondent is somebody on the meeting's list.
    func id(attendee id: UUID) -> UUID { self.id(respondent: id.lowercased) }

    /// A submission's id on an open form.
    func id(idempotencyKey: String) -> UUID {
        UUIDv8.make(HMACSHA256.authenticate(parts: [Array(idempotencyKey.utf8)], key: key))
    }

    /// 16 bytes that recognise the same `Idempotency-Key`.
    func mac(idempotencyKey: String) -> [UInt8] {
        Array(HMACSHA256.authenticate(parts: [Array(idempotencyKey.utf8)], key: keyMAC).prefix(16))
    }

    /// 16 bytes that recognise the same raw body.
    func mac(body: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.authenticate(parts: [body], key: bodyMAC).prefix(16))
    }

    /// What its author proves a submission with: the submission's id and 32 bytes that only this form's key makes of it.
    /// Derived when asked, never stored.
    func receipt(of id: UUID) -> String {
        Base64URL.encode(id.bytes + receiptMAC(id))
    }

    /// The submission whose receipt this is; compared in constant time.
    func submission(receipt: String) -> UUID? {
        guard let bytes = Base64URL.decode(receipt), bytes.count == 48, let id = UUID(bytes: bytes.prefix(16)),
            constantTimeEquals(Array(bytes.suffix(32)), receiptMAC(id))
        else { return nil }
        return id
    }

    /// A personal link's token: the attendee's id and 16 bytes that only this form's key makes of it. It is kept nowhere,
    /// so that making one and using one writes nothing.
    func token(attendee id: UUID) -> String {
        Base64URL.encode(id.bytes + linkMAC(id))
    }

    /// The attendee whose token this is, for this form; compared in constant time.
    func attendee(token: String) -> UUID? {
        guard let bytes = Base64URL.decode(token), bytes.count == 32, let id = UUID(bytes: bytes.prefix(16)),
            constantTimeEquals(Array(bytes.suffix(16)), linkMAC(id))
        else { return nil }
        return id
    }

    private func linkMAC(_ id: UUID) -> [UInt8] {
        Array(HMACSHA256.authenticate(parts: [id.bytes], key: link).prefix(16))
    }

    private func receiptMAC(_ id: UUID) -> [UInt8] {
        HMACSHA256.authenticate(parts: [id.bytes], key: receipt)
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
