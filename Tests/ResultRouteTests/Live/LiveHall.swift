import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A thousand viewers watch one form while others answer it.
@Suite(.timeLimit(.minutes(15))) struct LiveHall {
    private static let viewerCount = 1_000

    /// Submits in parallel and returns the sorted durations.
    private static func submit(_ count: Int, to meeting: TestMeeting) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for sender in 0..<8 {
                group.addTask {
                    var times: [Duration] = []
                    for number in 0..<(count / 8) {
                        let start = ContinuousClock.now
                        try await meeting.submit("{\"pace\": \((sender + number) % 5 + 1)}").expect(201)
                        times.append(.now - start)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }

    @Test func allViewersReceiveTheLatestResults() async throws {
        try await TestService.run { service in
            let quiet = try await service.openMeeting()
            let alone = try await Self.submit(160, to: quiet)
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let share = try await service.share(of: meeting)
            let streams = [
                (service.host, meeting.livePath), (service.anyone, "\(meeting.formPath)/live"),
                (service.anyone, "/v1/shares/\(share)/live"),
            ]
            var viewers = (0..<Self.viewerCount).map { number in
                LiveTestViewer(streams[number % 3].0, streams[number % 3].1, keepsAll: false)
            }
            for viewer in viewers { #expect(try await viewer.wait(.seconds(60)) { $0.submissions == 0 }) }
            async let watched = Self.submit(160, to: meeting)
            // In the meantime, random viewers disconnect and resume after their last event.
            for _ in 0..<100 {
                let index = Int.random(in: 0..<Self.viewerCount)
                let last = viewers[index].last?.id
                await viewers[index].leave()
                var headers: [String: String] = [:]
                headers["Last-Event-ID"] = last
                let (client, path) = streams[index % 3]
                viewers[index] = LiveTestViewer(client, path, headers: headers, keepsAll: false)
            }
            let crowded = try await watched
            let results = try await meeting.results().expect(200)
            #expect(results.json?["submissions"]?.int == 160)
            for viewer in viewers {
                #expect(try await viewer.wait(.seconds(60)) { $0.last?.data == results.text })
                #expect(viewer.status == 200 && !viewer.isOver)
            }
            let (before, during) = (alone[alone.count / 2], crowded[crowded.count / 2])
            // Both ends of all streams run in this process, hence the tolerance. A submission that waited for a
            // thousand viewers would take seconds.
            #expect(during < before * 20 + .seconds(1), "\(before) alone, \(during) with a thousand viewers")
            await withTaskGroup(of: Void.self) { group in
                for viewer in viewers { group.addTask { await viewer.leave() } }
            }
        }
    }
}
