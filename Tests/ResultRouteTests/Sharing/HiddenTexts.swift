import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

/// A hidden text is still counted, but shown only to its author and to hosts who request hidden texts.
@Suite(.timeLimit(.minutes(15))) struct HiddenTexts {
    private static let settings = #""showResults": "always""#

    /// The bodies of all responses that show texts, each under a label.
    private static func bodies(
        _ meeting: TestMeeting, _ service: TestService, anonymous: Bool
    ) async throws -> [String: String] {
        let share = try await meeting.sharePath()
        var bodies: [String: String] = [
            "pages": try await meeting.host.get("\(meeting.path)/results/better/answers").expect(200).text,
            "search": try await meeting.host.get("\(meeting.path)/results/better/answers?q=o").expect(200).text,
            "participants": try await meeting.participant("/results/better/answers").expect(200).text,
            "share": try await service.anyone.get("\(share)/results/better/answers").expect(200).text,
        ]
        for file in ["submissions.csv", "submissions.ndjson", "answers.csv", "answers.ndjson"] {
            for scope in [meeting.path, "/v1/series/\(meeting.seriesID)"] {
                let response = try await meeting.host.get("\(scope)/export/\(file)")
                if anonymous, file.hasPrefix("submissions") {
                    try response.expect(409)
                } else {
                    bodies["\(scope) \(file)"] = try response.expect(200).text
                }
            }
        }
        return bodies
    }

    @Test(arguments: [false, true])
    func hiddenTextIsInNoPageOrExportButStillCounted(anonymous: Bool) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: Self.settings + (anonymous ? #", "anonymous": true"# : ""))
            for text in ["good one", "foul one", "good too"] {
                try await meeting.submit("{\"pace\": 2, \"better\": \"\(text)\"}").expect(201)
            }
            try await meeting.perform("close").expect(200)
            try await meeting.moderate("release").expect(204)
            let foul = try #require(try await meeting.texts().items.first { $0.text == "foul one" })
            let before = try await meeting.results().expect(200)
            for _ in 1...2 { #expect(try await meeting.moderate("hide", answer: foul.id).status == 204) }
            for (name, text) in try await Self.bodies(meeting, service, anonymous: anonymous) {
                #expect(!text.contains("foul"), "\(name)")
                #expect(text.contains("good one"), "\(name)")
            }
            let after = try await meeting.results().expect(200)
            #expect(after["ETag"] != before["ETag"])
            var expected = try before.decoded(as: Results.self)
            expected.revision += 1
            #expect(
                try after.decoded(as: Results.self) == expected,
                "the counts are unchanged, and the second request has no effect")

            let hidden = try await meeting.texts("?hidden=true")
            #expect(hidden.items.map(\.text) == ["foul one"] && hidden.items.allSatisfy { $0.hidden == true })
            #expect(hidden.items.map(\.id) == [foul.id])
            #expect(try await meeting.texts().items.allSatisfy { $0.hidden == false })
            for _ in 1...2 { #expect(try await meeting.moderate("unhide", answer: foul.id).status == 204) }
            for (name, text) in try await Self.bodies(meeting, service, anonymous: anonymous) {
                #expect(text.contains("foul"), "\(name)")
            }
            let entries = try await service.admin.get("/v1/admin/audit?subject=\(meeting.id)").expect(200)
            let names = (entries.json?["items"]?.array ?? []).compactMap { $0["act"]?.string }
            #expect(names.prefix(2) == ["answer.unhide", "answer.hide"] && names.count { $0 == "answer.hide" } == 1)
            let name = foul.id.description
            #expect(entries.text.contains(name) == !anonymous)
        }
    }

    @Test func hidingRequiresAnIDOfTheQuestionAndAffectsNoOther() async throws {
        try await TestService.run { service in
            let questions = """
                [{"key": "pace", "kind": "rating", "title": "P"}, {"key": "better", "kind": "text", "title": "B"},
                 {"key": "more", "kind": "text", "title": "M"}]
                """
            for anonymous in [false, true] {
                let settings = anonymous ? #""anonymous": true"# : #""anonymous": false"#
                let meeting = try await service.openMeeting(questions, settings: settings)
                let other = try await service.openMeeting(questions, settings: settings)
                for one in [meeting, other] {
                    for number in 1...3 {
                        try await one.submit("{\"better\": \"b\(number)\", \"more\": \"m\(number)\"}").expect(201)
                    }
                    try await one.submit(#"{"pace": 1}"#).expect(201)
                    try await one.perform("close").expect(200)
                }
                let ids = try await meeting.texts().items.compactMap(\.id)
                let idsOfMore = try await meeting.texts(of: "more").items.compactMap(\.id)
                let again = try await meeting.texts().items.compactMap(\.id)
                #expect(ids.count == 3 && ids == again)
                let sharedIDs = Set(ids).intersection(idsOfMore)
                #expect(sharedIDs.count == (anonymous ? 0 : 3), "the ids of anonymous texts differ between questions")
                let foreignIDs = try await other.texts().items.compactMap(\.id)
                var invalidTargets: [(key: String, id: ResourceID?)] = [
                    ("pace", ids.first), ("nothing", ids.first), ("better", foreignIDs.first),
                    ("better", ResourceID(UUID())),
                ]
                if anonymous { invalidTargets.append(("more", ids.first)) }
                for verb in ["hide", "unhide"] {
                    for (key, id) in invalidTargets {
                        #expect(try await meeting.moderate(verb, key, answer: id).status == 404, "\(verb) \(key)")
                    }
                    let path = "\(meeting.path)/results/better/answers"
                    #expect(try await meeting.host.post("\(path)/nonsense/\(verb)").status == 404)
                    #expect(try await meeting.host.get("\(path)/\(ids[0])/\(verb)").status == 405)
                }
                try await meeting.moderate("hide", answer: ids.first).expect(204)
                #expect(
                    try await meeting.texts(of: "more").items.count == 3, "the text is hidden for its question only")
            }
        }
    }

    @Test func anonymousTextCannotBeHiddenWhileWithheld() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            for _ in 1...3 { try await meeting.submit(#"{"better": "x"}"#).expect(201) }
            let early = try await meeting.moderate("hide", answer: ResourceID(UUID()))
            #expect(early.status == 409 && early.problem == "results-withheld")
        }
    }

    @Test func correctedTextStaysHiddenAndWithdrawnTextIsDeleted() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.settings)
            let own = try await meeting.receipt(of: #"{"better": "foul"}"#)
            try await meeting.moderate("hide", answer: own.id).expect(204)
            let (path, proof) = ("\(meeting.submissionsPath)/\(own.id)", ["Authorization": "Receipt \(own.receipt)"])
            try await service.anyone.put(path, json: #"{"answers": {"better": "fouler"}}"#, headers: proof).expect(200)
            #expect(try await meeting.texts().items.isEmpty)
            #expect(try await meeting.texts("?hidden=true").items.map(\.text) == ["fouler"])
            #expect(
                try await service.anyone.get(path, headers: proof).text.contains("fouler"),
                "its author still sees the text")
            try await service.anyone.put(path, json: #"{"answers": {}}"#, headers: proof).expect(200)
            #expect(
                try await meeting.moderate("unhide", answer: own.id).status == 404,
                "the submission has no text any more")
            try await service.anyone.delete(path, headers: proof).expect(204)
            for verb in ["hide", "unhide"] {
                #expect(try await meeting.moderate(verb, answer: own.id).status == 404)
            }
        }
    }

    @Test func concurrentRequestsToHideAreOneAction() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let own = try await meeting.receipt()
            let before = try await meeting.results().decoded(as: Results.self).revision
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await meeting.moderate("hide", answer: own.id).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 204, count: 16))
            #expect(try await meeting.results().decoded(as: Results.self).revision == before + 1)
            let entries = try await service.admin.get("/v1/admin/audit?act=answer.hide").expect(200)
            #expect(entries.json?["items"]?.array?.count == 1)
        }
    }
}
