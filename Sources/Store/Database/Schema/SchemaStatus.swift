import Foundation

/// The migrations and functions of a database, compared with those of this program.
public struct SchemaStatus: Sendable {
    public struct Step: Sendable {
        public var number: Int
        public var name: String
        /// When the step was applied; nil if it is pending.
        public var appliedAt: Date?
    }

    public struct Function: Sendable {
        public enum State: Sendable {
            /// The function is the same as in this program.
            case current
            /// The function is missing, or was installed by another version.
            case outdated
            /// The function was changed in the database after it was installed.
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

    /// Whether this program can use the database. Edited functions do not prevent that.
    public var isCurrent: Bool { pendingSteps.isEmpty && outdatedFunctions.isEmpty }
}
