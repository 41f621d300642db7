import Domain
import HTTPTypes

extension APIRequest {
    /// `If-None-Match` names this tag or a like one: a 304 is what the reader wants, so nothing need be rendered.
    public func isCurrent(_ tag: ETag) -> Bool { Self.noneMatch(headers, tag) }

    static func noneMatch(_ headers: HTTPFields, _ tag: ETag) -> Bool {
        guard let value = headers[.ifNoneMatch], let list = ETag.List(parsing: value) else { return false }
        return switch list {
        case .any: true
        case .tags(let tags): tags.contains { $0.isEquivalent(to: tag) }
        }
    }

    /// `If-Match` must be there (428) and name the current state (412).
    public func requireMatch(_ current: ETag) throws(Problem) {
        try requireCondition()
        try checkMatch(current)
    }

    /// `If-Match` must be there (428) and its tag be of this revision (412), whatever else moved since.
    public func requireMatch(revision: Int) throws(Problem) {
        try requireCondition()
        try checkMatch(revision: revision)
    }

    /// `If-Match`, where it is there, must name the current state (412).
    public func checkMatch(_ current: ETag) throws(Problem) {
        guard matches({ $0.isSame(as: current) }) else {
            throw Problem(.preconditionFailed, "It is \(current) now.")
        }
    }

    /// `If-Match`, where it is there, must be of this revision (412).
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
