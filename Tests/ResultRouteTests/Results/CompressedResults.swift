import TestSupport
import Testing

/// Results, filtered results, cross-tabs and pictures for clients that accept gzip.
@Suite(.timeLimit(.minutes(15))) struct CompressedResults {
    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "How was the pace?"},
         {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": true,
          "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The talk"}]}]
        """
    private static let gzip = ["Accept-Encoding": "br, gzip"]

    private static func paths(_ meeting: TestMeeting) -> [String] {
        let results = "\(meeting.path)/results"
        return [
            results, results + "?where=pace:5", "\(meeting.path)/results/crosstab?rows=pace&columns=topics",
            results + "/topics.svg",
        ]
    }

    @Test func decompressedBodyEqualsThePlainBody() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for answers in [#"{"pace": 5, "topics": ["demo"]}"#, #"{"pace": 2}"#] {
                try await meeting.submit(answers).expect(201)
                for path in Self.paths(meeting) {
                    let plain = try await service.host.get(path).expect(200)
                    #expect(plain["Content-Encoding"] == nil && plain["Vary"] == "Accept-Encoding", "\(path)")
                    for _ in 1...2 {
                        let compressed = try await service.host.get(path, headers: Self.gzip).expect(200)
                        #expect(compressed["Content-Encoding"] == "gzip" && compressed["Vary"] == "Accept-Encoding")
                        #expect(compressed.body.count < plain.body.count)
                        #expect(Gunzip.text(compressed.body) == plain.text, "\(path)")
                        #expect(compressed["Content-Type"] == plain["Content-Type"])
                    }
                    #expect(try await service.host.get(path).body == plain.body)
                }
            }
        }
    }

    /// The strong tag belongs to the plain bytes. A compressed body has a weak tag, which `If-None-Match` accepts too.
    @Test func tagOfACompressedBodyIsWeak() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for path in Self.paths(meeting) {
                let tag = try #require(try await service.host.get(path)["ETag"])
                let weak = try #require(try await service.host.get(path, headers: Self.gzip)["ETag"])
                #expect(weak == "W/\(tag)")
                let headers = Self.gzip.merging(["If-None-Match": weak]) { $1 }
                let same = try await service.host.get(path, headers: headers)
                #expect(same.status == 304 && same.body.isEmpty && same["Content-Encoding"] == nil)
                #expect(same["ETag"] == weak && same["Vary"] == "Accept-Encoding")
                let plain = try await service.host.get(path, headers: ["If-None-Match": weak])
                #expect(plain.status == 304 && plain["ETag"] == tag && plain["Vary"] == "Accept-Encoding")
            }
            try await meeting.submit(#"{"pace": 5}"#).expect(201)
            let path = Self.paths(meeting)[0]
            let changed = try await service.host.get(path, headers: Self.gzip).expect(200)
            #expect(Gunzip.text(changed.body)?.contains("\"submissions\":1") == true)
        }
    }

    @Test func headHasTheLengthOfTheCompressedBody() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for path in Self.paths(meeting) {
                let body = try await service.host.get(path, headers: Self.gzip).expect(200)
                let head = try await service.host.send("HEAD", path, headers: Self.gzip).expect(200)
                #expect(head.body.isEmpty && head["Content-Length"] == "\(body.body.count)")
                #expect(head["Content-Encoding"] == "gzip" && head["ETag"] == body["ETag"])
            }
        }
    }

    @Test func participantsGetTheSameBytesAsTheHost() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""showResults": "always""#)
            try await meeting.submit(#"{"pace": 5}"#).expect(201)
            let participantResponse = try await service.anyone.get("\(meeting.formPath)/results", headers: Self.gzip)
                .expect(200)
            let hostResponse = try await service.host.get("\(meeting.path)/results", headers: Self.gzip).expect(200)
            #expect(
                participantResponse["Content-Encoding"] == "gzip" && participantResponse.body == hostResponse.body
                    && participantResponse["ETag"] == hostResponse["ETag"])
        }
    }

    @Test(arguments: ["identity", "gzip;q=0", "gzip; Q=0.000", "br", ""])
    func clientsThatDoNotAcceptGzipGetPlainBodies(_ accepted: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions)
            for path in Self.paths(meeting) {
                let response = try await service.host.get(path, headers: ["Accept-Encoding": accepted]).expect(200)
                #expect(response["Content-Encoding"] == nil && response["ETag"]?.hasPrefix("W/") == false)
            }
        }
    }
}
