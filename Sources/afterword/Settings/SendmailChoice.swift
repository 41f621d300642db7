import Foundation
import Logging
import Mail

/// Which program takes mail, as the settings say it.
enum SendmailChoice: Sendable, Equatable {
    /// Whatever the system has.
    case system
    case program(String)
    /// The log takes mail, whatever the system has.
    case none

    enum Resolved: Equatable {
        case program(String)
        /// Named, but it cannot be run.
        case unusable(String)
        case log
    }

    init?(_ text: String) {
        if text == "none" {
            self = .none
        } else if text.hasPrefix("/") {
            self = .program(text)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .system: "the system's"
        case .program(let path): path
        case .none: "none"
        }
    }

    /// What the choice comes to on this machine, now.
    var resolved: Resolved {
        switch self {
        case .none: return .log
        case .program(let path): return Self.canRun(path) ? .program(path) : .unusable(path)
        case .system:
            let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return Sendmail.find(in: search, canRun: Self.canRun).map { .program($0) } ?? .log
        }
    }

    private static func canRun(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}

extension Settings {
    /// A program that was named and cannot be run stops the start.
    func mailCarrier(_ logger: Logger) throws(Failure) -> any MailCarrier {
        switch sendmail.resolved {
        case .program(let path):
            // A sendmail reads its user's settings by HOME; of this program's own settings it gets none.
            let variables = ProcessInfo.processInfo.environment.filter { name, _ in
                !name.hasPrefix(Setting.environmentPrefix) && !name.hasPrefix("PG")
            }
            return Sendmail(path: path, environment: variables)
        case .unusable(let path):
            throw .misuse("\(path) cannot be run: name another program with --sendmail, or none.")
        case .log:
            return LogCarrier(logger: logger)
        }
    }
}
