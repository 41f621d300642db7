import Cryptography
import Domain
import HTTPServer
import HTTPTypes
import Hummingbird
import Images
import NIOCore
import NIOHTTP1
import StrictJSON

extension Problem {
    /// Maps an error of a handler or of the HTTP engine to a problem; nil for an unexpected error.
    init?(mapping error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is NIOTooManyBytesError: self.init(.contentTooLarge)
        case is BodyTimeoutError: self.init(.requestTimeout)
        case is MemoryBudget.Exceeded:
            self.init(.overloaded, "Too many large requests are arriving at once.", retryAfter: 1)
        case is HTTPParserError: self.init(.badRequest, "The body's framing is broken.")
        case let fault as ImageFault: self = fault.problem
        case is PasswordHasher.Overloaded: self.init(.overloaded, retryAfter: 1)
        case is CancellationError: self.init(.overloaded, "The service is stopping.")
        case let error as HTTPError:
            guard let code = ProblemCode.allCases.first(where: { $0.status == error.status.code }) else { return nil }
            self.init(code)
        default: return nil
        }
    }
}

extension ImageFault {
    /// The problem that the sender of the file receives.
    fileprivate var problem: Problem {
        switch self {
        case .notAnImage:
            Problem([
                Fault(
                    .invalid, at: "", code: rawValue,
                    "A complete JPEG, PNG or WebP image without animation is expected.")
            ])
        case .tooManyPixels:
            Problem([
                Fault(.invalid, at: "", code: rawValue, "At most 24 megapixels and 10,000 pixels a side are allowed.")
            ])
        case .overloaded: Problem(.overloaded, "Other images are being read; try again later.", retryAfter: 5)
        }
    }
}
