import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ChartImages {
    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "How was the <pace>?"},
         {"key": "live", "kind": "choice", "title": "Once more?",
          "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]},
         {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": true,
          "options": [{"id": "demo", "label": "The demo"}], "other": true},
         {"key": "better", "kind": "text", "title": "What should change?"}]
        """

    @Test func imageShowsTheCurrentResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let path = "\(meeting.path)/results/pace.svg"
            let empty = try await service.host.get(path).expect(200)
            #expect(empty["Content-Type"] == "image/svg+xml; charset=utf-8")
            #expect(empty["X-Content-Type-Options"] == "nosniff")
            #expect(
                empty["Content-Security-Policy"]
                    == "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
            #expect(empty.text.contains("No answers yet") && empty.text.contains("How was the &lt;pace&gt;?"))
            try await meeting.submit(#"{"pace": 4, "live": "yes", "topics": ["demo", {"other": "x"}]}"#).expect(201)
            try await meeting.submit(#"{"pace": 5, "live": "yes"}"#).expect(201)
            let response = try await service.host.get(path).expect(200)
            #expect(response.text.contains(#"data-id="5" data-count="1""#) && response.text.contains("Mean 4.50"))
            let tag = try #require(response["ETag"])
            #expect(tag != empty["ETag"])
            let same = try await service.host.get(path, headers: ["If-None-Match": tag])
            #expect(same.status == 304 && same.body.isEmpty)
            #expect(try await service.host.get(path).body == response.body)
        }
    }

    @Test func imageShowsTheCountsOfTheResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for answers in [
                #"{"pace": 1, "live": "no", "topics": ["demo"]}"#,
                #"{"pace": 5, "live": "yes", "topics": [{"other": "a"}]}"#,
                #"{"pace": 5, "live": "yes", "topics": ["demo", {"other": "b"}]}"#,
            ] { try await meeting.submit(answers).expect(201) }
            let questions = try #require(try await meeting.results().json?["questions"]?.array)
            for (key, question) in zip(["pace", "live", "topics"], questions) {
                let picture = try await service.host.get("\(meeting.path)/results/\(key).svg").expect(200).text
                for point in try #require(question["points"]?.array) {
                    let (id, count) = (point["id"]?.string ?? "", point["count"]?.text ?? "")
                    #expect(picture.contains("data-id=\"\(id)\" data-count=\"\(count)\""), "\(key) \(id)")
                }
            }
        }
    }

    @Test func shapeAndWidthCanBeChosen() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            try await meeting.submit(#"{"pace": 4, "live": "yes"}"#).expect(201)
            let path = "\(meeting.path)/results/"
            let ring = try await service.host.get(path + "live.svg").expect(200)
            #expect(try await service.host.get(path + "live.svg?shape=doughnut").body == ring.body)
            let bars = try await service.host.get(path + "live.svg?shape=bars").expect(200)
            #expect(bars.body != ring.body && bars["ETag"] != ring["ETag"])
            #expect(
                try await service.host.get(path + "pace.svg?width=2000").expect(200).text.contains(#"width="2000""#))
            for (query, fault) in [
                ("pace.svg?shape=doughnut", "?shape shape-not-fitting"),
                ("topics.svg?shape=doughnut", "?shape shape-not-fitting"),
                ("pace.svg?shape=pie", "?shape unknown-choice"),
                ("pace.svg?width=319", "?width out-of-range"), ("pace.svg?width=2001", "?width out-of-range"),
                ("pace.svg?width=x", "?width not-an-integer"), ("pace.svg?colour=red", "?colour unknown-parameter"),
            ] {
                let response = try await service.host.get(path + query)
                #expect(response.status == 422 && response.faults == [fault], "\(query)")
            }
        }
    }

    /// An image is cached until something that it shows changes.
    @Test func cachedImageIsNotSentAfterAChange() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let path = "\(meeting.path)/results/pace.svg"
            var last = try await service.host.get(path).expect(200)
            func expectNewImage(_ parts: String..., after change: String) async throws {
                let image = try await service.host.get(path).expect(200)
                for part in parts { #expect(image.text.contains(part), "\(part) after \(change)") }
                #expect(image["ETag"] != last["ETag"], "\(change)")
                #expect(try await service.host.get(path).body == image.body, "\(change)")
                last = image
            }
            try await meeting.submit(#"{"pace": 4, "live": "yes"}"#).expect(201)
            try await expectNewImage("Mean 4.00", after: "a submission")
            try await service.patch(meeting.path, #"{"title": "Another title"}"#, match: "*").expect(200)
            try await expectNewImage("Mean 4.00", "Another title", after: "a new title")
            try await meeting.define(
                #"{"questions": \#(Self.questions.replacing("How was the <pace>?", with: "How fast was it?"))}"#
            ).expect(200)
            try await expectNewImage("Mean 4.00", "How fast was it?", after: "an edited question")
        }
    }

    @Test func cachedImageIsNotSentToAccountsThatMayNotReadTheResults() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let (path, hosts) = ("\(meeting.path)/results/pace.svg", "/v1/series/\(meeting.seriesID)/hosts")
            let other = service.other
            let shown = try await service.host.get(path).expect(200)
            #expect(try await other.get(path).status == 404)
            try await service.host.post(hosts, json: #"{"email": "other@example.org", "role": "viewer"}"#).expect(201)
            #expect(try await other.get(path).expect(200).body == shown.body)
            let email = #"{"email": "other@example.org"}"#
            try await service.host.send("DELETE", hosts, body: Array(email.utf8)).expect(204)
            #expect(try await other.get(path).status == 404)
        }
    }

    @Test func questionsWithoutAChartAreNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            let text = try await service.host.get("\(meeting.path)/results/better.svg")
            #expect(text.status == 404 && text.json?["detail"]?.string?.contains("results/better/answers") == true)
            for name in ["nothing.svg", ".svg", "pace", "pace.png", "pace.svg.svg", "PACE.svg"] {
                let response = try await service.host.get("\(meeting.path)/results/\(name)")
                #expect(response.status == 404, "\(name)")
            }
            let json = try await service.host.get(
                "\(meeting.path)/results/pace.svg", headers: ["Accept": "application/json"])
            #expect(json.status == 406)
            try await service.host.delete(meeting.path).expect(204)
            #expect(try await service.host.get("\(meeting.path)/results/pace.svg").status == 404)
        }
    }

    /// The image must not show withheld results.
    @Test func minimumGroupAppliesToImages() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                Self.questions, settings: #""anonymous": true, "minimumGroup": 3, "identity": "open""#)
            for count in 1...5 {
                try await meeting.submit(#"{"pace": 4, "live": "yes"}"#).expect(201)
                for key in ["pace", "live", "topics"] {
                    let picture = try await service.host.get("\(meeting.path)/results/\(key).svg").expect(200)
                    #expect(
                        picture.text.contains("Not shown yet: results appear in groups of at least 3 submissions."),
                        "\(count)")
                    #expect(!picture.text.contains("data-count") && !picture.text.contains("answer"), "\(count)")
                }
            }
            for _ in 6...7 { try await meeting.submit(#"{"pace": 4, "live": "yes"}"#).expect(201) }
            let shown = try #require(try await meeting.results().json?["withheld"]?["shown"]?.text)
            let partly = try await service.host.get("\(meeting.path)/results/pace.svg").expect(200)
            #expect(
                partly.text.contains("Based on \(shown) submissions") && partly.text.contains("data-count=\"\(shown)\"")
            )
        }
    }
}
