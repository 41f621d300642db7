import Cryptography
import Domain
import Foundation
import HTTPServer
import Logging
import Synchronization

/// Logs sign-ins, refusals and attacks on accounts: the account by id, and the source by a keyed hash of its address.
/// No line contains the password or code that was tried. A participant's requests can cause only the event
/// `codeGuesses`.
///
/// Each event of one account, address and scope is logged at most once a minute, and each kind of event a limited
/// number of times a minute; the next line contains the number of suppressed events. So an attack neither fills the
/// disk nor hides another kind of attack.
public final class SecurityLog: Sendable {
    public enum Event: String, Sendable, CaseIterable {
        case signedIn = "sign-in"
        case signInFailed = "sign-in-failed"
        case signInLocked = "sign-in-locked"
        case passwordChecked = "password-check"
        case passwordCheckFailed = "password-check-failed"
        case passwordCheckLocked = "password-check-locked"
        case codeGuesses = "code-guesses"
        case resetTokenGuesses = "reset-token-guesses"
        case verificationFailed = "verification-failed"
        case accessDenied = "access-denied"
        case objectNotFound = "object-not-found"
        case tokenRefused = "token-refused"
        case malformedRequest = "malformed-request"
        case limitReached = "limit-reached"
        case forgedForm = "forged-form"

        var level: Logger.Level {
            switch self {
            case .signInLocked, .passwordCheckLocked, .codeGuesses, .resetTokenGuesses, .limitReached: .warning
            case .signedIn, .signInFailed, .passwordChecked, .passwordCheckFailed, .verificationFailed, .accessDenied,
                .objectNotFound, .tokenRefused, .malformedRequest, .forgedForm:
                .notice
            }
        }

        var message: Logger.Message {
            switch self {
            case .signedIn: "Signed in"
            case .signInFailed: "Sign-in failed"
            case .signInLocked: "Too many failed sign-ins"
            case .passwordChecked: "Password check of a signed-in account succeeded"
            case .passwordCheckFailed: "Password check of a signed-in account failed"
            case .passwordCheckLocked: "Too many failed password checks of a signed-in account"
            case .codeGuesses: "Codes refused after too many guesses"
            case .resetTokenGuesses: "Password reset tokens refused after too many guesses"
            case .verificationFailed: "Verification of an address failed"
            case .accessDenied: "Access denied to a signed-in account"
            case .objectNotFound: "A signed-in account requested what does not exist or is not its own"
            case .tokenRefused: "Token refused: unknown, expired or revoked"
            case .malformedRequest: "Malformed request of a signed-in account"
            case .limitReached: "Request refused by a limit"
            case .forgedForm: "Form of a page refused: forged or outdated"
            }
        }
    }

    private struct Source: Hashable {
        let event: Event
        let account: UUID?
        let client: ClientAddress?
        let scope: String?
    }

    private struct Entry {
        var loggedAt: ContinuousClock.Instant
        var suppressed = 0
    }

    private struct State {
        /// Only sources that were logged, so that the limit on lines bounds their number.
        var sources: [Source: Entry] = [:]
        /// The times of each kind's lines within the last minute.
        var lines: [Event: [ContinuousClock.Instant]] = [:]
        /// The numbers of suppressed events of sources without a line.
        var others: [Event: Int] = [:]
    }

    static let interval: Duration = .seconds(60)
    /// The largest number of lines of one kind within an interval.
    static let maxLines = 30
    private static let maxSources = 1000

    private let logger: Logger
    private let mac: HMACSHA256
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter key: The key of the hashes of addresses; the same for all instances and after restarts, so that
    ///   their lines can be matched.
    public init(
        _ logger: Logger, key: [UInt8], now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.logger = logger
        mac = HMACSHA256(key: key)
        self.now = now
    }

    /// Logs nothing.
    static var silent: SecurityLog {
        SecurityLog(Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }, key: RandomBytes.make(32))
    }

    /// - Parameters:
    ///   - account: The attacked account; nil if unknown.
    ///   - client: The source; nil for an event that concerns many sources.
    ///   - request: The id of the request that caused the event.
    ///   - route: A template such as `GET /v1/meetings/{id}`, never a path.
    ///   - scope: What a lock-out applies to.
    func record(
        _ event: Event, account: UUID? = nil, client: ClientAddress?, request: UUID? = nil, route: String? = nil,
        scope: String? = nil
    ) {
        let source = Source(event: event, account: account, client: client, scope: scope)
        guard let (suppressed, others) = admit(source) else { return }
        var metadata: Logger.Metadata = ["event": "\(event.rawValue)", "suppressed": "\(suppressed)"]
        if let client { metadata["client"] = "\(hash(client))" }
        if let request { metadata["request"] = "\(request.lowercased)" }
        if others > 0 { metadata["suppressed-others"] = "\(others)" }
        if let account { metadata["account"] = "\(account.lowercased)" }
        if let route { metadata["route"] = "\(route)" }
        if let scope { metadata["scope"] = "\(scope)" }
        logger.log(level: event.level, event.message, metadata: metadata)
    }

    /// Twelve hexadecimal digits, from which the address cannot be derived without the key.
    private func hash(_ client: ClientAddress) -> String {
        mac.authenticate(parts: [Array(client.text.utf8)]).prefix(6).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Returns how many events of this source, and of sources without lines, were suppressed before this one; nil if
    /// this one is suppressed.
    private func admit(_ source: Source) -> (suppressed: Int, others: Int)? {
        let now = now()
        return state.withLock { state in
            if let entry = state.sources[source], now - entry.loggedAt < Self.interval {
                state.sources[source]?.suppressed += 1
                return nil
            }
            let lines = (state.lines[source.event] ?? []).filter { now - $0 < Self.interval }
            guard lines.count < Self.maxLines else {
                state.others[source.event, default: 0] += 1
                return nil
            }
            state.lines[source.event] = lines + [now]
            let suppressed = state.sources[source]?.suppressed ?? 0
            state.sources[source] = Entry(loggedAt: now)
            Self.forget(&state, before: now - Self.interval)
            return (suppressed, state.others.removeValue(forKey: source.event) ?? 0)
        }
    }

    /// Past the capacity, drops sources not logged since `horizon`; their suppressed events are added to `others`.
    private static func forget(_ state: inout State, before horizon: ContinuousClock.Instant) {
        guard state.sources.count > maxSources else { return }
        for (source, entry) in state.sources where entry.loggedAt < horizon {
            state.others[source.event, default: 0] += entry.suppressed
            state.sources[source] = nil
        }
    }
}

extension SecurityLog.Event {
    /// The event of a refused request; nil if the refusal is an ordinary one.
    ///
    /// - Parameters:
    ///   - path: The template of the requested path.
    ///   - isSignedIn: Whether the request had a valid token of an account.
    ///   - hasToken: Whether the request had a token.
    public init?(refusal code: ProblemCode, of path: String, isSignedIn: Bool, hasToken: Bool) {
        switch code {
        case .unauthorized where hasToken && !isSignedIn: self = .tokenRefused
        case .forbidden where isSignedIn: self = .accessDenied
        // An object of another account is reported as not found too. Without an id, there is no object to probe for.
        case .notFound where isSignedIn && path.contains("{id}"): self = .objectNotFound
        case .badRequest where isSignedIn: self = .malformedRequest
        case .tooManyRequests where isSignedIn: self = .limitReached
        default: return nil
        }
    }
}
