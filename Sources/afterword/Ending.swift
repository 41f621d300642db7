import ArgumentParser
import Backups
import Domain
import EmbeddedPostgres
import Foundation
import HTTPAPI
import HTTPServer
import Store
import StrictJSON

/// The output and exit status of the program after an error.
struct Ending: Equatable {
    let status: ExitStatus
    /// Whether the text was requested, as help is. If so, it is printed to standard output.
    let isRequestedOutput: Bool
    let text: String

    init(_ error: any Error) {
        switch error {
        case let status as ExitStatus: self.init(status, "")
        case let failure as Failure: self.init(failure.status, failure.sentence)
        case is EmbeddedPostgresError, is KeyRing.Failure, is Store.LibraryFailure, is Pooler.Failure,
            is Replica.Failure, is DirectWorkers.Failure,
            is Migrator.Failure, is CitusCluster.Failure, is ListenFailure, is ImportMismatch, is ImportSeriesMismatch,
            is BackupError:
            self.init(.failed, String(describing: error))
        case let problem as Problem: self.init(.failed, Self.sentence(problem))
        default:
            if let message = DatabaseErrorMessage(error) {
                self.init(.failed, message.sentence)
            } else {
                self.init(parsing: error)
            }
        }
    }

    private static func sentence(_ problem: Problem) -> String {
        let faults = problem.faults.map(\.detail).joined(separator: " ")
        return problem.detail ?? (faults.isEmpty ? problem.code.title + "." : faults)
    }

    /// For errors of the argument parser, which uses another exit status for misuse.
    private init(parsing error: any Error) {
        switch Afterword.exitCode(for: error) {
        case .success: self.init(.fine, Afterword.fullMessage(for: error), isRequestedOutput: true)
        case .validationFailure:
            let message = Afterword.fullMessage(for: error)
            let sentence = message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
            self.init(.misuse, CommandSuggestion.added(to: sentence, for: CommandLine.arguments.dropFirst().first))
        default:
            self.init(.failed, "Unexpected error: \((error as NSError).localizedDescription)")
        }
    }

    private init(_ status: ExitStatus, _ text: String, isRequestedOutput: Bool = false) {
        self.status = status
        self.text = text
        self.isRequestedOutput = isRequestedOutput
    }

    /// Prints the text and returns the exit status.
    func report() -> Int32 {
        if isRequestedOutput { Terminal.print(text) } else if !text.isEmpty { Terminal.printError(text) }
        return status.rawValue
    }
}
