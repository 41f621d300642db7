import Foundation

/// The migrations and functions of a database, compared with those of this program.
public struct SchemaStatus: Sendable {
    public struct Step: Sendable {
        public var number: Int
        public var name: String
        /// When it ran, nil if it has not.
        public var appliedAt: Date?
    }

    public struct Function: Sendable {
        public enum State: Sendable {
            /// The same as in this program.
            case current
            /// Missing, or of another version.
            case outdated
            /// Changed in the database by hand since it was installed.
            case edited
        }

        public var name: String
        public var state: State
    }

    public var steps: [Step]
    public var functions: [Function]

    public var pendingSteps: [Step] { steps.filter { $0.appliedAt == nil } }
    public var outdatedFunctions: [Function] { functions.filter { $0.state == .outdated } }
    public var editedFunctions: [Function] { functions.filter { $0.state == .edited } }

    /// Whether this program can work on the database. Edited functions do not prevent that.
    public var isCurrent: Bool { pendingSteps.isEmpty && outdatedFunctions.isEmpty }
}
