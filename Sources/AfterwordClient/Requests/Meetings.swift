import Contract
import Foundation
import StrictJSON

extension Endpoint {
    static let createMeeting = Endpoint("POST", "/v1/meetings", .keyed)
    static let listMeetings = Endpoint("GET", "/v1/meetings")
    static let getMeeting = Endpoint("GET", "/v1/meetings/{id}")
    static let currentMeeting = Endpoint("GET", "/v1/meetings/current")
    static let trashMeeting = Endpoint("DELETE", "/v1/meetings/{id}")
    static let restoreMeeting = Endpoint("POST", "/v1/meetings/{id}/restore", .idempotent)

    static let meetings = [
        createMeeting, listMeetings, getMeeting, currentMeeting, trashMeeting, restoreMeeting,
    ]
}

/// The meeting state that a list is filtered by.
public enum MeetingState: String, Sendable, CaseIterable {
    case upcoming, running, ended, trash
}

extension Afterword.Host {
    /// Creates a meeting with its series and form.
    public func createMeeting(_ meeting: MeetingRequest, key: IdempotencyKey? = nil) async throws -> Meeting {
        try await call(.createMeeting, body: .json(meeting), key: key).value()
    }

    /// The host's meetings, or all meetings for an admin.
    ///
    /// - Parameters:
    ///   - state: If nil, all meetings except those in the trash.
    ///   - from: Only meetings that start at this time or later.
    ///   - to: Only meetings that start before this time.
    ///   - query: Only meetings whose title, place or series contains this text.
    public func meetings(
        state: MeetingState? = nil, from: Date? = nil, to: Date? = nil, query: String? = nil
    ) -> Pages<Meeting> {
        pages(
            .listMeetings,
            query: [
                "state": state?.rawValue, "from": from.map(RFC3339.format), "to": to.map(RFC3339.format), "q": query,
            ])
    }

    public func meeting(_ id: ResourceID) async throws -> Tagged<Meeting> {
        try await call(.getMeeting, id).tagged()
    }

    /// The running meeting, or the next one to start. Nil if there is neither.
    public func currentMeeting() async throws -> Meeting? {
        do {
            return try await call(.currentMeeting).value()
        } catch let problem as AfterwordProblem where problem.code == .notFound {
            return nil
        }
    }

    /// Moves a meeting to the trash, which keeps it for 30 days unless the service is configured otherwise.
    public func trashMeeting(_ id: ResourceID, matching tag: ETag? = nil) async throws {
        _ = try await call(.trashMeeting, id, matching: tag)
    }

    public func restoreMeeting(_ id: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Meeting> {
        try await call(.restoreMeeting, id, matching: tag).tagged()
    }
}
