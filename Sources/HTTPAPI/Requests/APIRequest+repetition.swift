import Cryptography
import Domain
import HTTPTypes
import HummingbirdCore
import NIOCore
import Store

extension APIRequest {
    /// This POST as its `Idempotency-Key` names it, nil without one; the path with its ids is part of the name.
    func repetition(_ document: RequestDocument?) throws -> IdempotentRequest? {
        guard let key = try idempotencyKey() else { return nil }
        let body = document.map { Array($0.bytes.readableBytesView) } ?? []
        return IdempotentRequest(
            accountID: try requireCaller().account.id, route: "\(route.method.rawValue) \(path)", key: key,
            bodyHash: SHA256.hash(body))
    }

    /// The path as it was asked for, without the query.
    var path: String { underlying.uri.path }
}

extension APIResponse {
    /// The 201 of something made once, with `Idempotency-Replayed` where it was made before.
    static func made(_ made: Idempotent) -> APIResponse {
        let answer = APIResponse.bytes(ByteBuffer(bytes: made.answer), status: .created)
        return made.isReplay ? answer.with(.idempotencyReplayed, "true") : answer
    }
}
