import Cryptography
import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

extension Problem {
    /// Maps an error of the engine to a problem; nil for an unexpected error.
    init?(engine error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is NIOTooManyBytesError: self.init(.contentTooLarge)
        case is ConnectionGuard.SlowBody: self.init(.requestTimeout)
        case is HTTPParserError: self.init(.badRequest, "The body's framing is broken.")
        case is PasswordHasher.Overloaded: self.init(.overloaded, retryAfter: 1)
        case is CancellationError: self.init(.overloaded, "The service is stopping.")
        case let error as HTTPError:
            guard let code = ProblemCode.allCases.first(where: { $0.status == error.status.code }) else { return nil }
            self.init(code)
        default: return nil
        }
    }
}
