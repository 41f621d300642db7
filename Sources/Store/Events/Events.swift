import Domain
import Foundation
import Postgres
import StrictJSON

/// An event that a webhook can subscribe to. The raw value is its name in the API.
public enum Event: String, Sendable, CaseIterable {
    case resultsChanged = "results.changed"
    case formOpened = "form.opened"
    case formClosed = "form.closed"
    case meetingCreated = "meeting.created"
    case attendeeCheckedIn = "attendee.checked-in"
}

/// Events on their way to webhooks. Each is written in the transaction that causes it, except `results.changed`, which
/// `ResultEvents` publishes.
enum Events {
    /// The size of the longest title in an event, in bytes. Of a longer one, the event has the first 100 characters.
    fileprivate static let maxTitleBytes = 1200

    /// Writes an event of each meeting for every subscribed webhook. The events are sent only if the transaction
    /// commits. Call this after all other changes of the transaction, because it reads the states of the forms.
    static func record(_ event: Event, of meetingIDs: [UUID], on connection: Connection) async throws {
        try await record(event, of: meetingIDs, on: connection) { meeting in
            meeting.eventData + [
                .init("formId", .string(meeting.form.id.lowercased)),
                .init("state", .string(meeting.notifiedState.rawValue)),
                .init("submissions", JSONValue(meeting.form.submissions)),
                .init("attended", JSONValue(meeting.attended)),
            ]
        }
    }

    /// Records that a person checked in. The event contains no name, no address and nothing about the form: for an
    /// anonymous form, nobody may learn how many submissions there were when a person checked in.
    static func record(
        checkIn attendeeID: UUID, _ status: String, in meetingID: UUID, on connection: Connection
    ) async throws {
        try await record(.attendeeCheckedIn, of: [meetingID], on: connection) { meeting in
            meeting.eventData + [
                .init("attendeeId", .string(attendeeID.lowercased)), .init("status", .string(status)),
                .init("attended", JSONValue(meeting.attended)),
            ]
        }
    }

    private static func record(
        _ event: Event, of meetingIDs: [UUID], on connection: Connection,
        data: (Meeting) -> [JSONValue.Member]
    ) async throws {
        let subscriptions = try await connection.query(
            "SELECT m.id, w.id \(fragment: subscribed(to: event)) AND m.id = ANY (\(meetingIDs))\nORDER BY m.id, w.id")
        guard !subscriptions.isEmpty else { return }
        let pairs = try subscriptions.map { try $0.decode(UUID.self, UUID.self) }
        let subscribedMeetings = Array(Set(pairs.map(\.0)))
        var meetings: [UUID: (data: JSONValue, at: Date)] = [:]
        for row in try await connection.query(Meeting.select() + "\nWHERE m.id = ANY (\(subscribedMeetings))") {
            let meeting = try Meeting.read(row)
            meetings[meeting.id] = (.object(data(meeting)), meeting.now)
        }
        let deliveries = pairs.compactMap { meetingID, webhookID in
            meetings[meetingID].map {
                Delivery(webhookID: webhookID, event: event.rawValue, timestamp: $0.at, data: $0.data)
            }
        }
        try await insert(deliveries, on: connection)
    }

    /// Joins `webhook w` to `meeting m` with its `form f`, for webhooks of enabled accounts that own or co-host the
    /// series now, and that are not paused. Meetings in the trash are included, because moving a meeting there closes its open form. Further
    /// conditions can be appended.
    static func subscribed(to event: Event) -> Statement {
        """
        FROM webhook w JOIN account a ON a.id = w.account_id
            JOIN (SELECT id AS series_id, owner_id AS account_id FROM series
                UNION ALL SELECT series_id, account_id FROM series_host) h ON h.account_id = w.account_id
            JOIN meeting m ON m.series_id = h.series_id JOIN form f ON f.meeting_id = m.id
        WHERE a.disabled_at IS NULL AND w.paused_at IS NULL AND \(event.rawValue) = ANY (w.events)
        """
    }

    /// One event for one webhook.
    struct Delivery: Sendable {
        let id = UUIDv7.make()
        var webhookID: UUID
        var event: String
        var timestamp: Date
        var data: JSONValue

        /// The request body in the format of Standard Webhooks. It is stored, and sent unchanged.
        var body: String {
            JSONValue.object([
                .init("type", .string(event)), .init("timestamp", .string(RFC3339.format(timestamp))),
                .init("data", data),
            ]).text
        }
    }

    /// The ids with which the data of each meeting event begins.
    static func ids(meetingID: UUID, seriesID: UUID, round: Int) -> [JSONValue.Member] {
        [
            .init("meetingId", .string(meetingID.lowercased)), .init("seriesId", .string(seriesID.lowercased)),
            .init("round", JSONValue(round)),
        ]
    }

    static func insert(_ deliveries: [Delivery], on connection: Connection) async throws {
        guard !deliveries.isEmpty else { return }
        try await connection.execute(
            """
            INSERT INTO webhook_delivery (id, webhook_id, event, body, give_up_at)
            SELECT u.id, u.webhook_id, u.event, u.body, now() + make_interval(secs => \(WebhookSchedule.givenUpAfter))
            FROM unnest(\(deliveries.map(\.id)), \(deliveries.map(\.webhookID)), \(deliveries.map(\.event)),
                \(deliveries.map(\.body))) AS u (id, webhook_id, event, body)
            """)
        try await WebhookQueue.giveUpExcess(of: deliveries.map(\.webhookID), on: connection)
    }
}

extension Meeting {
    /// The ids and the title, which the data of each meeting event contains.
    fileprivate var eventData: [JSONValue.Member] {
        // One action can cause thousands of events.
        let isLong = title.utf8.count > Events.maxTitleBytes
        return Events.ids(meetingID: id, seriesID: seriesID, round: round) + [
            .init("title", .string(isLong ? title.prefix(100) + "…" : title))
        ]
    }

    /// The form's state as reported in events. An open form is reported as closed while its meeting is in the trash.
    fileprivate var notifiedState: FormState {
        let state = form.state(at: now)
        return deletedAt != nil && state == .open ? .closed : state
    }
}
