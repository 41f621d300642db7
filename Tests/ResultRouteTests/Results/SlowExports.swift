import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

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
            #expect(try await service.host.get(path).status == 200)
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
