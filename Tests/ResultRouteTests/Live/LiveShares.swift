import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// A stream of a share sends what the share's results show, and nothing else.
@Suite(.timeLimit(.minutes(15))) struct LiveShares {
    private static func watch(_ meeting: TestMeeting, _ service: TestService) async throws -> LiveTestViewer {
        LiveTestViewer(service.anyone, "/v1/shares/\(try await service.share(of: meeting))/live")
    }

    @Test func streamOfAShareFollowsItsOwnMeetingOnly() async throws {
        try await TestService.run { service in
            let meetings = [try await service.openMeeting(), try await service.openMeeting()]
            var viewers: [LiveTestViewer] = []
            for meeting in meetings { viewers.append(try await Self.watch(meeting, service)) }
            for viewer in viewers { #expect(try await viewer.wait { $0.submissions == 0 }) }
            for count in 1...2 {
                for (meeting, viewer) in zip(meetings, viewers) {
                    try await meeting.submit(#"{"pace": 4}"#).expect(201)
                    #expect(try await viewer.wait { $0.submissions == count })
                }
            }
            for (meeting, viewer) in zip(meetings, viewers) {
                #expect(viewer.events.allSatisfy { $0.json?["meetingId"]?.string == meeting.id })
                await viewer.leave()
            }
        }
    }

    @Test func withheldAnswersAreInNoEvent() async throws {
        try await TestService.run { service in
            let settings = #""anonymous": true, "minimumGroup": 3, "showResults": "always""#
            let meeting = try await service.openMeeting(settings: settings)
            let viewers = [
                try await Self.watch(meeting, service), LiveTestViewer(service.anyone, "\(meeting.formPath)/live"),
            ]
            for count in 1...7 {
                try await meeting.submit(#"{"pace": 5, "better": "A text"}"#).expect(201)
                for viewer in viewers { #expect(try await viewer.wait { $0.submissions == count }) }
            }
            for viewer in viewers {
                for event in viewer.events {
                    let shown = (event.json?["submissions"]?.int ?? 0) < 6 ? 0 : 3
                    #expect(event.json?["questions"]?[0]?["answered"]?.int == shown, "\(event.data)")
                    #expect(!event.data.contains("A text"))
                }
                await viewer.leave()
            }
        }
    }

    @Test func streamEndsWhenTheMakerOfTheShareMayNoLongerEdit() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let viewer = try await Self.watch(meeting, service)
            #expect(try await viewer.wait { !$0.events.isEmpty })
            let hostID = service.fixture.host.account.id
            try await service.sql("UPDATE account SET disabled_at = now() WHERE id = \(hostID)")
            #expect(try await viewer.wait { $0.isOver })
            #expect(viewer.last?.name == "end" && viewer.last?.json?["type"]?.string == "/problems/share-ended")
        }
    }
}
