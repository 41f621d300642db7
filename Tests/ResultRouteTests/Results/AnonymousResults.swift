import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

/// The results of an anonymous form over its life.
@Suite(.timeLimit(.minutes(15))) struct AnonymousResults {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#

    @Test func releasedCountsGrowInWholeGroups() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.settings)
            for (index, shown) in [0, 0, 0, 0, 0, 3, 3, 3, 6].enumerated() {
                try await meeting.submit(#"{"pace": 5}"#).expect(201)
                let results = try await meeting.results().expect(200).decoded(as: Results.self)
                #expect(results.submissions == index + 1, "the number of submissions is exact")
                #expect(results.withheld == .init(reason: "minimum-group", minimum: 3, shown: shown))
                let pace = try #require(results.questions.first)
                #expect(pace.datasets?.first?.data == (shown == 0 ? [] : [0, 0, 0, 0, shown]))
                #expect(pace.points?.count == (shown == 0 ? 0 : 5))
                #expect(pace.answered == shown)
            }
            try await meeting.perform("close").expect(200)
            let complete = try await meeting.results().decoded(as: Results.self)
            #expect(complete.withheld == nil && complete.questions[0].datasets?.first?.data == [0, 0, 0, 0, 9])
        }
    }

    @Test func closeWithholdsARestSmallerThanAGroup() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.settings)
            for _ in 1...2 { try await meeting.submit(#"{"pace": 5}"#).expect(201) }
            try await meeting.perform("close").expect(200)
            let few = try await meeting.results().decoded(as: Results.self)
            #expect(few.withheld?.shown == 0 && few.questions[0].datasets?.first?.data == [])
            try await meeting.perform("reopen").expect(200)
            try await meeting.submit(#"{"pace": 1}"#).expect(201)
            #expect(try await meeting.results().decoded(as: Results.self).withheld?.shown == 0)
            try await meeting.perform("close").expect(200)
            let enough = try await meeting.results().decoded(as: Results.self)
            #expect(enough.withheld == nil && enough.questions[0].datasets?.first?.data == [1, 0, 0, 0, 2])
            try await meeting.perform("reopen").expect(200)
            try await meeting.submit(#"{"pace": 3}"#).expect(201)
            for _ in 0..<2 {
                let later = try await meeting.results().decoded(as: Results.self)
                #expect(later.submissions == 4 && later.withheld?.shown == 3)
                #expect(later.questions[0].datasets?.first?.data == [1, 0, 0, 0, 2])
                try await meeting.perform("close").expect(200)
            }
        }
    }

    @Test func timesAreDaysAndTextsAreWithheldUntilTheClose() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.settings)
            var submissions: [(path: String, proof: [String: String])] = []
            for number in 1...3 {
                let sent = try await meeting.submit("{\"pace\": 3, \"better\": \"text \(number)\"}").expect(201)
                #expect(try sent.string("submittedAt").hasSuffix("T00:00:00Z"))
                let receipt = try sent.decoded(as: SubmissionReceipt.self)
                submissions.append(
                    ("\(meeting.submissionsPath)/\(receipt.id)", ["Authorization": "Receipt \(receipt.receipt)"]))
            }
            let (path, proof) = try #require(submissions.first)
            let edit = try await service.anyone.put(
                path, json: #"{"answers": {"pace": 2, "better": "text 1"}}"#, headers: proof)
            #expect(try edit.expect(200).string("updatedAt").hasSuffix("T00:00:00Z"))
            #expect(try await meeting.results().string("updatedAt").hasSuffix("T00:00:00Z"))

            let texts = "\(meeting.path)/results/better/answers"
            let early = try await service.host.get(texts)
            #expect(early.status == 409 && early.problem == "results-withheld")
            #expect(try await service.host.get("\(meeting.path)/export/answers.csv").status == 409)
            try await meeting.perform("close").expect(200)
            let page = try await service.host.get(texts).expect(200).decoded(as: TextAnswers.self)
            #expect(Set(page.items.map(\.text)) == ["text 1", "text 2", "text 3"])
            let submissionIDs = submissions.compactMap { $0.path.split(separator: "/").last.map(String.init) }
            #expect(page.items.allSatisfy { $0.submittedAt == nil })
            let shown = Set(page.items.compactMap { $0.id.description })
            #expect(
                shown.count == 3 && shown.isDisjoint(with: submissionIDs),
                "the ids of texts are not those of submissions")
            let answers = try await service.host.get("\(meeting.path)/export/answers.csv").expect(200)
            for (path, _) in submissions {
                let id = try #require(path.split(separator: "/").last)
                #expect(!answers.text.contains(id))
            }
            for scope in [meeting.path, "/v1/series/\(meeting.seriesID)"] {
                let wide = try await service.host.get("\(scope)/export/submissions.csv")
                #expect(wide.status == 409 && wide.problem == "anonymous-form", "\(scope)")
            }
        }
    }

    @Test func minimumGroupBelowThreeIsRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let response = try await meeting.define(
                "{\"anonymous\": true, \"minimumGroup\": 2, \"questions\": \(TestStore.questions)}")
            #expect(response.status == 422 && response.faults == ["/minimumGroup out-of-range"])
        }
    }
}
