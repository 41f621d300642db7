import TestSupport
import Testing

/// Views of the stage, which a remote sends to the event streams of accounts.
@Suite(.timeLimit(.minutes(5))) struct LiveStageViews {
    private static func views(_ viewer: LiveTestViewer) -> [String] {
        viewer.events.filter { $0.name == "stage" }.map(\.data)
    }

    @Test func viewsReachTheStreamsOfAccountsOnly() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            let other = try await service.openMeeting()
            let stage = meeting.watch()
            let others = [
                other.watch(), LiveTestViewer(service.anyone, "\(meeting.formPath)/live"),
                LiveTestViewer(service.anyone, "\(try await meeting.sharePath())/live"),
                LiveTestViewer(service.host, "/v1/live"),
            ]
            // The instance may not be listening to the database yet.
            try await eventually("the first view") {
                try await service.host.post("\(meeting.path)/stage", json: #"{"slide": "code"}"#).expect(204)
                return try await stage.wait(.seconds(1)) { !Self.views($0).isEmpty }
            }
            let body = #"{"slide": "q-pace", "blank": true, "comparing": null}"#
            try await service.host.post("\(meeting.path)/stage", json: body).expect(204)
            let expected = #"{"slide":"q-pace","blank":true,"comparing":false,"words":false}"#
            #expect(try await stage.wait { Self.views($0).last == expected })
            for viewer in others { #expect(try await viewer.wait { !$0.events.isEmpty }) }
            // The results that follow reach everybody.
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            try await other.submit(#"{"pace": 4}"#).expect(201)
            #expect(try await stage.wait { $0.submissions == 1 })
            for viewer in others {
                #expect(try await viewer.wait { $0.events.count > 1 })
                #expect(Self.views(viewer) == [])
                await viewer.leave()
            }
            await stage.leave()
        }
    }

    @Test func invalidViewsAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let long = "q-" + String(repeating: "a", count: 41)
            for slide in ["", "Code", "q-", "q-Pace", "q-pa ce", "pace", "slide-code", "code\\n", long] {
                let refused = try await service.host.post("\(meeting.path)/stage", json: "{\"slide\": \"\(slide)\"}")
                #expect(refused.status == 422 && refused.text.contains("/slide"), "\(slide): \(refused.text)")
            }
            for body in ["{}", #"{"slide": 1}"#, #"{"slide": "code", "blank": "yes"}"#, #"{"slide": "code", "x": 1}"#] {
                let refused = try await service.host.post("\(meeting.path)/stage", json: body)
                #expect([400, 422].contains(refused.status), "\(body): \(refused.status)")
            }
            try await service.other.post("\(meeting.path)/stage", json: #"{"slide": "code"}"#).expect(404)
        }
    }
}
