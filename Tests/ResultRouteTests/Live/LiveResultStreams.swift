import Contract
import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct LiveResultStreams {
    @Test func snapshotIsSentAtOnceWhateverTheLastEventWas() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await meeting.submit(#"{"pace": 4, "better": "two\nlines"}"#).expect(201)
            let results = try await meeting.results().expect(200)
            let revision = results.json?["revision"]?.int.map(String.init)
            for last in [nil, "0", "1", "999999999999999999999999", "nonsense \u{e9}", ""] {
                let viewer = meeting.watch(lastEvent: last)
                #expect(try await viewer.wait { !$0.events.isEmpty }, "\(last ?? "none")")
                #expect(viewer.last == .init(name: "results", id: revision, data: results.text))
                #expect(viewer.status == 200 && viewer.headers["content-type"] == "text/event-stream; charset=utf-8")
                #expect(viewer.headers["cache-control"] == "no-store" && viewer.headers["x-accel-buffering"] == "no")
                #expect(viewer.headers["access-control-allow-origin"] == "*")
                await viewer.leave()
            }
            let raw = try await RawConnection.open(port: service.anyone.port) { raw in
                let token = try #require(service.host.authorization)
                try await raw.send(
                    "GET \(meeting.livePath) HTTP/1.1\r\nHost: x\r\nAuthorization: \(token)\r\n\r\n")
                return try await raw.read(until: "data: ")
            }
            #expect(raw.contains("retry: 3000\n\n"))
        }
    }

    @Test func everyChangeIsPushed() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: #""headcount": 4"#)
            let viewer = meeting.watch()
            #expect(try await viewer.wait { $0.submissions == 0 })
            let sent = try await meeting.submit(#"{"pace": 4}"#).expect(201)
            #expect(try await viewer.wait { $0.submissions == 1 })
            let proof = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let body = Array(#"{"answers": {"pace": 1}}"#.utf8)
            try await service.anyone.send("PUT", submissionPath, body: body, headers: proof).expect(200)
            #expect(try await viewer.wait { $0.last?.data.contains(#""mean":1,"#) == true })
            try await service.anyone.delete(submissionPath, headers: proof).expect(204)
            #expect(try await viewer.wait { $0.submissions == 0 })
            try await meeting.add("Ann", status: "present").expect(201)
            #expect(try await viewer.wait { $0.last?.json?["attended"]?.int == 1 })
            let questions = TestStore.questions.replacing("How was the pace?", with: "Too fast?")
            try await meeting.define("{\"questions\": \(questions)}").expect(200)
            #expect(try await viewer.wait { $0.last?.data.contains("Too fast?") == true })
            try await service.host.send(
                "PATCH", meeting.path, body: Array(#"{"headcount": 9}"#.utf8), headers: ["If-Match": "*"]
            ).expect(200)
            #expect(try await viewer.wait { $0.last?.json?["headcount"]?.int == 9 })
            #expect(try await meeting.results().text == viewer.last?.data)
            #expect(viewer.events.allSatisfy { $0.name == "results" })
            let ids = viewer.events.compactMap { $0.id.flatMap { Int($0) } }
            #expect(ids == ids.sorted() && ids.count == viewer.events.count)
            await viewer.leave()
        }
    }

    @Test func burstOfAHundredChangesIsSentInAFewEvents() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let viewer = meeting.watch()
            #expect(try await viewer.wait { $0.submissions == 0 })
            let start = ContinuousClock.now
            for number in 0..<100 { try await meeting.submit("{\"pace\": \(number % 5 + 1)}").expect(201) }
            #expect(try await viewer.wait { $0.submissions == 100 })
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(try await meeting.results().text == viewer.last?.data)
            #expect(Double(viewer.events.count) <= seconds * 4 + 3, "\(viewer.events.count) in \(seconds) s")
            await viewer.leave()
        }
    }

    @Test func commentsKeepAQuietStreamOpen() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let viewer = meeting.watch()
            #expect(try await viewer.wait(.seconds(40)) { $0.comments >= 1 })
            #expect(viewer.events.count == 1 && !viewer.isOver)
            await viewer.leave()
        }
    }

    @Test func anonymousFormPushesItsReleasedCounts() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true, "minimumGroup": 3"#)
            let viewer = meeting.watch()
            #expect(try await viewer.wait { $0.submissions == 0 })
            for number in 1...7 {
                try await meeting.submit(#"{"pace": 5}"#).expect(201)
                #expect(try await viewer.wait { $0.submissions == number })
                let shown = number < 6 ? 0 : 3
                let event = try #require(viewer.last)
                #expect(event.json?["withheld"]?["shown"]?.int == shown)
                #expect(event.json?["questions"]?[0]?["answered"]?.int == shown)
                #expect(try await meeting.results().text == event.data)
            }
            try await meeting.perform("close").expect(200)
            #expect(try await viewer.wait { $0.last?.json?["withheld"] == .null })
            #expect(try await meeting.results().text == viewer.last?.data)
            #expect(viewer.events.allSatisfy { !$0.data.contains("submittedAt") })
            await viewer.leave()
        }
    }

    @Test func participantsAndHoldersOfAShareSeeTheSameResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "afterSubmission""#)
            let live = "\(meeting.formPath)/live"
            let early = try await service.anyone.get(live)
            #expect(early.status == 403 && early["Access-Control-Allow-Origin"] == "*")
            let receipt = try await meeting.submit(#"{"pace": 4}"#).expect(201).string("receipt")
            let proof = ["Authorization": "Receipt \(receipt)"]
            let participant = LiveTestViewer(service.anyone, live, headers: proof)
            let share = LiveTestViewer(service.anyone, "/v1/shares/\(try await service.share(of: meeting))/live")
            for viewer in [participant, share] { #expect(try await viewer.wait { $0.submissions == 1 }) }
            try await meeting.submit(#"{"pace": 2}"#).expect(201)
            for viewer in [participant, share] {
                #expect(try await viewer.wait { $0.submissions == 2 })
                #expect(try await meeting.results().text == viewer.last?.data)
                await viewer.leave()
            }
            #expect(try await service.anyone.get("/v1/shares/nonsense/live").status == 404)
            #expect(try await service.anyone.get("/v1/forms/zzzzzzzzzzzzz/live").status == 404)
            let forged = ["Authorization": "Receipt \(receipt.dropLast(4))AAAA"]
            #expect(try await service.anyone.get(live, headers: forged).status == 404)
        }
    }
}
