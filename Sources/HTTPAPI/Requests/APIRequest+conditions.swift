import Domain
import HTTPTypes

extension APIRequest {
    /// Whether `If-None-Match` contains this tag or a weakly equal one: then the response is a 304 and nothing has to
    /// be rendered.
    public func isCurrent(_ tag: ETag) -> Bool { Self.noneMatch(headers, tag) }

    static func noneMatch(_ headers: HTTPFields, _ tag: ETag) -> Bool {
        guard let value = headers[.ifNoneMatch], let list = ETag.List(parsing: value) else { return false }
        return switch list {
        case .any: true
        case .tags(let tags): tags.contains { $0.isEquivalent(to: tag) }
        }
    }

    /// Requires `If-Match` (428) with the tag of the current state (412).
    public func requireMatch(_ current: ETag) throws(Problem) {
        try requireCondition()
        try checkMatch(current)
    }

    /// Requires `If-Match` (428) with a tag of this revision (412), whatever else has changed since.
    public func requireMatch(revision: Int) throws(Problem) {
        try requireCondition()
        try checkMatch(revision: revision)
    }

    /// If `If-Match` is given, requires the tag of the current state (412).
    public func checkMatch(_ current: ETag) throws(Problem) {
        guard matches({ $0.isSame(as: current) }) else {
            throw Problem(.preconditionFailed, "It is \(current) now.")
        }
    }

    /// If `If-Match` is given, requires a tag of this revision (412).
    public func checkMatch(revision: Int) throws(Problem) {
        guard matches({ $0.revision == revision }) else {
            throw Problem(.preconditionFailed, "It is revision \(revision) now.")
        }
    }

    private func requireCondition() throws(Problem) {
        guard headers[.ifMatch] != nil else {
            throw Problem(.preconditionRequired, "Send If-Match with the ETag of what you read.")
        }
    }

    private func matches(_ isCurrent: (ETag) -> Bool) -> Bool {
        guard let value = headers[.ifMatch] else { return true }
        return switch ETag.List(parsing: value) {
        case .any: true
        case .tags(let tags): tags.contains(where: isCurrent)
        case nil: false
        }
    }
}
