import Domain
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Which server receives a submission. Here the workers are connections to the same database, so that no cluster is
/// needed.
@Suite(.timeLimit(.minutes(10))) struct ServersOfForms {
    private struct Failure: Error {}

    /// How often the servers were read, and what is to be found.
    private final class Source: Sendable {
        let state: Mutex<(worker: Int?, reads: [[UUID]])>

        init(_ worker: Int?) { state = Mutex((worker: worker, reads: [])) }

        var readCount: Int { state.withLock { $0.reads.count } }

        func read(_ forms: [UUID]) -> [UUID: Int] {
            state.withLock { state in
                state.reads.append(forms)
                return forms.reduce(into: [:]) { $0[$1] = state.worker }
            }
        }
    }

    @Test func workerOfAFormIsReadOnce() async throws {
        let source = Source(1)
        let servers = FormServers(logger: TestStore.silentLogger) { source.read($0) }
        let forms = (1...50).map { _ in UUID() }
        for form in forms { #expect(servers.worker(of: form) == nil) }
        try await eventually("all forms are known") { forms.allSatisfy { servers.worker(of: $0) == 1 } }
        let read = source.state.withLock { $0.reads.joined() }
        #expect(read.count == forms.count && Set(read) == Set(forms))
    }

    @Test func formsOfOtherServersAndAFailureUseTheCoordinator() async throws {
        let source = Source(nil)
        let servers = FormServers(logger: TestStore.silentLogger) { source.read($0) }
        let form = UUID()
        #expect(servers.worker(of: form) == nil)
        try await eventually("the form was read") { source.readCount == 1 }
        #expect(servers.worker(of: form) == nil)
        let attempts = Mutex(0)
        let failing = FormServers(logger: TestStore.silentLogger) { _ in
            attempts.withLock { $0 += 1 }
            throw Failure()
        }
        #expect(failing.worker(of: form) == nil)
        try await eventually("the reading failed") { attempts.withLock { $0 } == 1 }
        #expect(failing.worker(of: form) == nil)
    }

    @Test func failedWorkerIsAvoided() async throws {
        let source = Source(0)
        let servers = FormServers(logger: TestStore.silentLogger) { source.read($0) }
        let form = UUID()
        try await eventually("the form is known") { servers.worker(of: form) == 0 }
        servers.avoid(1)
        #expect(servers.worker(of: form) == 0)
        servers.avoid(0)
        #expect(servers.worker(of: form) == nil)
    }

    /// An intake whose only worker is reached at `url`.
    private static func intake(
        _ fixture: TestStore, worker url: String, _ meeting: Meeting
    ) async throws -> (Intake, FormServers) {
        let source = Source(0)
        let servers = FormServers(logger: TestStore.silentLogger) { source.read($0) }
        let intake = try Intake(
            configuration: PostgresConfiguration(url: fixture.database.url),
            workers: [PostgresConfiguration(url: url)], formServers: servers, lanes: 1, maxWaitingSubmissions: 100,
            maxBatchSize: 100, lockTimeout: 1, logger: TestStore.silentLogger)
        try await eventually("the form is known") { servers.worker(of: meeting.form.id) == 0 }
        return (intake, servers)
    }

    @Test func submissionRefusedByAFailedWorkerIsAcceptedByTheCoordinator() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let (intake, _) = try await Self.intake(fixture, worker: "postgresql://postgres@127.0.0.1:1/x", meeting)
            let first = await intake.submit(.paced(meeting, 1), from: nil)
            #expect(first == .refused(Problem(.databaseUnavailable, retryAfter: 1)))
            #expect(GroupCommit.isCreated(await intake.submit(.paced(meeting, 1), from: nil)))
            await intake.close()
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (1, 1))
        }
    }

    @Test func otherInstancesAreNotifiedByTheCoordinator() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let url = fixture.database.workerURLs.first ?? fixture.database.url
            let (intake, servers) = try await Self.intake(fixture, worker: url, meeting)
            var events = Listener(PostgresConfiguration(url: fixture.database.url), channels: [FormChannel.name])
                .makeAsyncIterator()
            #expect(await events.next() == .refresh)
            for number in 1...3 {
                #expect(GroupCommit.isCreated(await intake.submit(.paced(meeting, UInt8(number)), from: nil)))
                #expect(servers.worker(of: meeting.form.id) == 0)
                #expect(
                    await events.next()
                        == .notification(channel: FormChannel.name, payload: meeting.form.id.uuidString.lowercased()))
            }
            await intake.close()
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (3, 3))
        }
    }
}
