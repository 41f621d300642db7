import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Slow readers delay exports and nothing else.
@Suite(.timeLimit(.minutes(15))) struct SlowExports {
    /// A gate at which tasks wait until it is opened.
    private actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private(set) var arrivals = 0

        func pass() async {
            arrivals += 1
            guard !isOpen else { return }
            await withCheckedContinuation { waiting.append($0) }
        }

        func open() {
            isOpen = true
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    @Test func slowReadersDelayNoOtherRequest() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let form = try await service.fixture.store.forms.require(
                meetingID: try #require(UUID(uuidString: meeting.id)))
            let exports = service.fixture.store.exports
            let gate = Gate()
            await withTaskGroup(of: Void.self) { group in
                // There are more exports than connections, so most exports wait for a connection.
                for _ in 0..<12 {
                    group.addTask { try? await exports.submissions(of: form.id) { _ in await gate.pass() } }
                }
                do {
                    while await gate.arrivals < 3 { try await Task.sleep(for: .milliseconds(5)) }
                    for path in ["/readyz", "/v1/meetings", "\(meeting.path)/results", meeting.formPath] {
                        let response = try await service.host.get(path)
                        #expect(response.status == 200, "\(path): \(response.text)")
                    }
                    try await meeting.submit(#"{"pace": 5}"#).expect(201)
                } catch {
                    Issue.record(error)
                }
                await gate.open()
            }
        }
    }

    @Test func exportWithoutAPermitGetsRetryAfter() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "\(meeting.path)/export/summary.csv"
            let exports = service.fixture.store.exports
            var permits = [try await exports.admit(), try await exports.admit(), try await exports.admit()]
            let refused = try await service.host.get(path)
            #expect(refused.status == 503 && refused.problem == "overloaded" && refused["Retry-After"] != nil)
            #expect(try await service.host.get("/v1/meetings").status == 200)
            permits.removeLast()
            // Each request returns its permit when it ends, even if it is refused or has no response body.
            for _ in 0..<4 {
                #expect(try await service.host.get(path).status == 200)
                #expect(try await service.host.send("HEAD", path).status == 200)
                #expect(try await service.admin.get("/v1/admin/export/submissions.csv").status == 422)
            }
            #expect(permits.count == 2)
        }
    }

    @Test func oneAccountCannotHoldAllPermits() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let path = "\(meeting.path)/export/summary.csv"
            let exports = service.fixture.store.exports
            let host = service.fixture.host.account.id
            var permits = [try await exports.admit(for: host), try await exports.admit(for: host)]
            let refused = try await service.host.get(path)
            #expect(refused.status == 503 && refused["Retry-After"] != nil)
            #expect(refused.json?["detail"]?.string?.hasPrefix("You are downloading other files") == true)
            #expect(try await service.admin.get("/v1/admin/export/meetings.csv").status == 200)
            permits.removeLast()
            for _ in 0..<4 { #expect(try await service.host.get(path).status == 200) }
            // A request that gets no permit does not count against the account's own limit.
            permits += [try await exports.admit(), try await exports.admit()]
            #expect(try await service.host.get(path).status == 503)
            permits.removeLast()
            let last = try await service.host.get(path)
            #expect(last.status == 503, "the last place is for accounts without an export")
            #expect(try await service.admin.get("/v1/admin/export/meetings.csv").status == 200)
            permits.removeLast()
            #expect(try await service.host.get(path).status == 200)
        }
    }

    @Test func freePlacePassesToAnAccountWithoutAnExport() async throws {
        let places = ExportPlaces(3, perAccount: 2, stallLimit: .seconds(600))
        let (busy, other, next) = (UUID(), UUID(), UUID())
        @Sendable func acquire(_ account: UUID, _ timeout: Duration = .seconds(240)) async throws -> ExportPermit {
            try await places.acquire(for: account, within: timeout, disconnect: nil)
        }
        let first = try await acquire(busy)
        var permits = [try await acquire(other), try await acquire(UUID())]
        let (second, third) = (Task { try await acquire(busy) }, Task { try await acquire(next) })
        try await eventually("both wait") { places.waitingCount == 2 }
        permits.removeLast()
        permits.append(try await third.value)
        #expect(places.waitingCount == 1, "the last place is not for a second export")
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        withExtendedLifetime((first, permits)) {}
    }

    @Test func accountMayUseTwoPlacesWhileAnotherIsFree() async throws {
        let places = ExportPlaces(3, perAccount: 2, stallLimit: .seconds(600))
        let account = UUID()
        func acquire(_ account: UUID) async throws -> ExportPermit {
            try await places.acquire(for: account, within: .zero, disconnect: nil)
        }
        var permits = [try await acquire(account), try await acquire(account)]
        #expect(try await problem { _ = try await acquire(account) }?.code == .overloaded)
        permits.append(try await acquire(UUID()))
        withExtendedLifetime(permits) {}
    }

    @Test func stalledReaderLosesItsPlaceOnlyWhileAnotherAccountWaits() async throws {
        let places = ExportPlaces(1, perAccount: 1, stallLimit: .zero)
        let disconnected = Arrivals()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let account = UUID()
        var permit: ExportPermit? = try await places.acquire(for: account, within: .zero) {
            disconnected.add()
            end.finish()
        }
        func refuse(_ account: UUID) async throws {
            let refused = try await problem {
                _ = try await places.acquire(for: account, within: .milliseconds(200), disconnect: nil)
            }
            #expect(refused?.code == .overloaded && disconnected.count == 0)
        }
        // The export does not wait for its reader.
        try await refuse(UUID())
        let writing = Task { [permit] in try await permit?.writing { for await _ in ended {} } }
        try await eventually("the reader is stalled") { places.stalledCount == 1 }
        // An account does not end its own export.
        try await refuse(account)
        let waiting = Task { try await places.acquire(for: UUID(), within: .seconds(240), disconnect: nil) }
        try await writing.value
        #expect(disconnected.count == 1)
        permit = nil
        _ = try await waiting.value
    }

    /// The readers have taken nothing for some seconds when the other account requests its file.
    @Test func stalledReadersAreDisconnectedForAnotherAccount() async throws {
        try await TestService.run { service in
            let meeting = try await service.largeMeeting()
            let exports = service.fixture.store.exports
            let permit = try await exports.admit()
            let path = "\(meeting.path)/export/answers.ndjson"
            try await service.readingSlowly(path) { first in
                let second = try await exports.admit()
                try await eventually("the reader is stalled") { exports.places.stalledCount == 1 }
                #expect(try await service.admin.get("/v1/admin/export/meetings.csv").status == 200)
                #expect(await first.readToEnd().hasSuffix("0\r\n\r\n") == false)
                withExtendedLifetime(second) {}
            }
            withExtendedLifetime(permit) {}
        }
    }

    @Test func disconnectedReaderEndsTheStatementAndFreesThePermit() async throws {
        try await TestService.run { service in
            let meeting = try await service.largeMeeting()
            for table in ["submissions.csv", "answers.ndjson", "submissions.ndjson", "answers.csv"] {
                // The reader disconnects after a part of the file.
                try await service.readingSlowly("\(meeting.path)/export/\(table)") { _ in }
                try await service.untilExport(waitsFor: nil)
            }
            let exports = service.fixture.store.exports
            let permits = [try await exports.admit(), try await exports.admit(), try await exports.admit()]
            #expect(permits.count == 3)
        }
    }
}
