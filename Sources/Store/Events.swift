import Foundation
import Postgres

/// What happened that another server may want to be told of, by its name in the contract.
public enum Event: String, Sendable, CaseIterable {
    case resultsChanged = "results.changed"
    case formOpened = "form.opened"
    case formClosed = "form.closed"
    case meetingCreated = "meeting.created"
    case attendeeCheckedIn = "attendee.checked-in"
}

/// Events on their way to webhooks, each written in the transaction of what caused it.
enum Events {
    /// Once for each of the meetings, for every webhook that asks for it; told only if the transaction commits.
    static func record(_ event: Event, of meetingIDs: [UUID], on connection: Connection) async throws {
    }
}
