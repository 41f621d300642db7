import Foundation
import Mail

/// The program that sends mail, from the settings.
enum SendmailChoice: Sendable, Equatable {
    /// The system's sendmail, if there is one.
    case system
    case program(String)
    /// Mails are written to a folder, even if the system has a sendmail.
    case none

    enum Resolved: Equatable {
        case program(String)
        /// A program that was named but is not executable.
        case unusable(String)
        case folder
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

    /// What the choice means on this machine.
    var resolved: Resolved {
        switch self {
        case .none: return .folder
        case .program(let path): return Self.canRun(path) ? .program(path) : .unusable(path)
        case .system:
            let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
            return Sendmail.find(in: search, canRun: Self.canRun).map { .program($0) } ?? .folder
        }
    }

    private static func canRun(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
