import Cryptography
import Domain
import HTTPTypes
import HummingbirdCore
import NIOCore
import Store

extension APIRequest {
    /// The identity of this POST by its `Idempotency-Key`, nil without one; it includes the path with its ids.
    func repetition(_ document: RequestDocument?) throws -> IdempotentRequest? {
        guard let key = try idempotencyKey() else { return nil }
        let body = document.map { Array($0.bytes.readableBytesView) } ?? []
        return IdempotentRequest(
            accountID: try requireCaller().account.id, route: "\(route.method.rawValue) \(path)", key: key,
            bodyHash: SHA256.hash(body))
    }

    /// The path as it was requested, without the query.
    var path: String { underlying.uri.path }
}

extension APIResponse {
    /// The 201 of an idempotent creation, with `Idempotency-Replayed` if it was created before.
    static func made(_ made: Idempotent) -> APIResponse {
        let answer = APIResponse.bytes(ByteBuffer(bytes: made.answer), status: .created)
        return made.isReplay ? answer.with(.idempotencyReplayed, "true") : answer
    }
}
