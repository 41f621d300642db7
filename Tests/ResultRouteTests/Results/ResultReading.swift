import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ResultReading {
    @Test func everyAcknowledgedSubmissionIsInTheNextResult() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            var tags: Set<String> = []
            for count in 0...5 {
                if count > 0 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
                let results = try await meeting.results().expect(200)
                #expect(try results.decoded(as: Results.self).submissions == count)
                let tag = try #require(results["ETag"])
                #expect(tags.insert(tag).inserted)
                for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let same = try await meeting.host.get("\(meeting.path)/results", headers: ["If-None-Match": known])
                    #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag, "\(known)")
                }
            }
            let before = try #require(try await meeting.results()["ETag"])
            try await meeting.perform("close").expect(200)
            #expect(try await meeting.results()["ETag"] != before)
        }
    }

    @Test func emptyResultHasNoMean() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let response = try await meeting.results().expect(200)
            let pace = try #require(try response.decoded(as: Results.self).questions.first)
            #expect(pace.datasets?.first?.data == [0, 0, 0, 0, 0])
            for name in ["mean", "median", "standardDeviation", "confidence95"] {
                #expect(response.json?["questions"]?[0]?[name] == .null, "\(name)")
            }
            try await meeting.submit(#"{"pace": 4}"#).expect(201)
            let one = try #require(try await meeting.results().decoded(as: Results.self).questions.first?.summary)
            #expect(one.mean == 4 && one.median == 4 && one.standardDeviation == nil && one.confidence95 == nil)
        }
    }

    @Test func netPromoterScoreCountsPromotersAndDetractors() async throws {
        try await TestService.run { service in
            let question = #"[{"key": "n", "kind": "rating", "title": "T", "min": 0, "max": 10, "metric": "nps"}]"#
            let meeting = try await service.openMeeting(question)
            for rating in [0, 6, 7, 8, 9, 10, 10, 10] { try await meeting.submit("{\"n\": \(rating)}").expect(201) }
            let nps = try #require(try await meeting.results().decoded(as: Results.self).questions[0].summary?.nps)
            #expect(nps.score == 25 && nps.promoters == 4 && nps.passives == 2 && nps.detractors == 2)
            let (low, high) = (try #require(nps.low), try #require(nps.high))
            #expect(low < 25 && high > 25 && low >= -100 && high <= 100)
        }
    }

    @Test func responseRateUsesTheHeadcountOfOnceOnlyForms() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "device""#, members: #""headcount": 4"#)
            for device in ["a", "b", "c"] {
                try await meeting.submit(#"{"pace": 3}"#, respondent: String(repeating: device, count: 40)).expect(201)
            }
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.headcount == 4 && results.responseRate == 0.75 && results.responseBase == "headcount")
            let listed = try await service.host.get(meeting.path).decoded(as: Meeting.self)
            #expect(listed.submissions == 3)
            let uncounted = try await service.openMeeting(settings: #""identity": "device""#)
            #expect(try await uncounted.results().decoded(as: Results.self).responseRate == nil)
        }
    }

    @Test func textsArePagedNewestFirstAndSearched() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for number in 1...5 { try await meeting.submit("{\"better\": \"Größe \(number) 크기\"}").expect(201) }
            let path = "\(meeting.path)/results/better/answers"
            var texts: [String] = []
            var cursor: String?
            repeat {
                let more = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await service.host.get("\(path)?limit=2\(more)").expect(200).decoded(
                    as: TextAnswers.self)
                texts += page.items.map(\.text)
                cursor = page.next
                try await meeting.submit(#"{"better": "late"}"#).expect(201)
            } while cursor != nil
            #expect(texts == (1...5).reversed().map { "Größe \($0) 크기" })
            let found = try await service.host.get("\(path)?q=4%20%ED%81%AC").expect(200).decoded(as: TextAnswers.self)
            #expect(found.items.map(\.text) == ["Größe 4 크기"])
            let upper = try await service.host.get("\(path)?q=GR%C3%96%C3%9FE").expect(200).decoded(
                as: TextAnswers.self)
            #expect(upper.items.count == 5)
            #expect(try await service.host.get("\(path)?limit=0").faults == ["?limit out-of-range"])
            #expect(try await service.host.get("\(meeting.path)/results/pace/answers").status == 404)
            #expect(try await service.host.get("\(meeting.path)/results/nothing/answers").status == 404)
        }
    }

    @Test func unknownFileIsNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for file in ["summary", "summary.xls", "secrets.csv", "summary.csv.csv", ".csv"] {
                #expect(try await service.host.get("\(meeting.path)/export/\(file)").status == 404, "\(file)")
            }
            for file in ["summary", "questions", "meetings", "submissions", "answers", "attendance"] {
                for format in ["csv", "ndjson", "xlsx"] {
                    #expect(try await service.host.get("\(meeting.path)/export/\(file).\(format)").status == 200)
                    #expect(
                        try await service.host.get("/v1/series/\(meeting.seriesID)/export/\(file).\(format)").status
                            == 200)
                }
            }
            let export = try await service.admin.get("/v1/admin/export/meetings.csv").expect(200)
            #expect(export.text.contains(meeting.id))
            #expect(try await service.host.get("\(meeting.path)/export/summary.csv?delimiter=ab").status == 422)
            #expect(try await service.host.get("\(meeting.path)/export/summary.csv?from=2026-01-01").status == 422)
            let accept = ["Accept": "application/json"]
            #expect(try await service.host.get("\(meeting.path)/export/summary.csv", headers: accept).status == 406)
        }
    }

    /// Simultaneous requests share one read of the results, but no token gets the rights of another.
    @Test func tokenWithoutTheAdminScopeDoesNotShareTheResultsOfAnAdmin() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let created = try await service.admin.post(
                "/v1/tokens",
                json: #"{"name": "A", "scopes": ["results:read"], "expiresAt": "\#(RFC3339.format(.now + 86_400))"}"#
            ).expect(201)
            let plain = service.anyone.bearing(try created.string("token"))
            try await withThrowingTaskGroup(of: (isAdmin: Bool, status: Int).self) { group in
                for number in 0..<60 {
                    let client = number.isMultiple(of: 2) ? service.admin : plain
                    group.addTask {
                        (number.isMultiple(of: 2), try await client.get("\(meeting.path)/results").status)
                    }
                }
                for try await (isAdmin, status) in group { #expect(status == (isAdmin ? 200 : 404)) }
            }
        }
    }
}
