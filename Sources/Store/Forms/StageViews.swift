import Domain
import Foundation
import Postgres
import StrictJSON

/// The channel on which instances notify each other of what a host's remote shows on the stages of a meeting.
public enum StageChannel {
    public static let name = "afterword_stage"
}

/// What event streams have to send, caused at any instance.
public enum LiveChange: Sendable, Equatable {
    case results(FormChange)
    case stage(formID: UUID, StageView)

    /// Reads a notification of `StageChannel`. Nil for a payload that `Store.show` does not send.
    fileprivate init?(stage payload: String) {
        let parts = payload.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let formID = UUID(uuidString: parts[0]),
            let json = try? JSONValue.parse(Array(parts[1].utf8)), let view = try? StageView(json: json)
        else { return nil }
        self = .stage(formID: formID, view)
    }
}

extension Store {
    /// Shows a view on all stages of a form that are open, at every instance.
    ///
    /// Nothing is stored in the database.
    public func show(_ view: StageView, ofForm formID: UUID) async throws {
        let payload = "\(formID.lowercased) \(view.json.text)"
        try await pool.query("SELECT pg_notify(\(StageChannel.name), \(payload))")
    }

    /// The changes to the results of all forms, and the views of all stages, over one separate connection.
    public var liveChanges: some AsyncSequence<LiveChange, Never> & Sendable {
        Listener(sessionConfiguration, channels: [FormChannel.name, StageChannel.name]).compactMap {
            event -> LiveChange? in
            switch event {
            case .refresh: .results(.refresh)
            case .notification(StageChannel.name, let payload): LiveChange(stage: payload)
            case .notification(_, let payload): UUID(uuidString: payload).map { .results(.form($0)) }
            }
        }
    }
}
