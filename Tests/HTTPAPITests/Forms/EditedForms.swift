import Contract
import Store
import StrictJSON
import TestSupport
import Testing

/// Editing a form keeps its existing answers, and the results list the changes.
@Suite(.timeLimit(.minutes(15))) struct EditedForms {
    private typealias Results = Contract.Results

    private static let why = #"{"key": "why", "kind": "text", "title": "Why?"}"#
    private static let pace = #"{"key": "pace", "kind": "rating", "title": "Pace?"}"#

    private static func pick(_ options: [(String, String)], _ settings: String = "") -> String {
        let list = options.map { #"{"id": "\#($0.0)", "label": "\#($0.1)"}"# }.joined(separator: ", ")
        return #"{"key": "pick", "kind": "choice", "title": "Pick?", "options": [\#(list)]\#(settings)}"#
    }

    private static let fruits = [("a", "Apples"), ("b", "Bananas")]

    private static func list(_ questions: String...) -> String { "[\(questions.joined(separator: ", "))]" }

    private static func edit(_ meeting: TestMeeting, _ questions: String...) async throws {
        try await meeting.define("{\"questions\": [\(questions.joined(separator: ", "))]}").expect(200)
    }

    private static func results(_ meeting: TestMeeting) async throws -> Results {
        try await meeting.results().expect(200).decoded()
    }

    private static func counts(_ question: QuestionResults?) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (question?.points ?? []).map { ($0.id, $0.count) })
    }

    private static func changeLines(_ results: Results) -> [String] {
        results.changes.map { change in
            let name = change.key + (change.option.map { ".\($0)" } ?? "")
            return "\(change.version) \(name) \(change.change) \(change.from ?? "-") → \(change.to ?? "-")"
        }
    }

    @Test func removedQuestionKeepsItsAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pace, Self.why))
            try await meeting.submit(#"{"pace": 2, "why": "Because."}"#).expect(201)
            try await Self.edit(meeting, Self.pace)
            let results = try await Self.results(meeting)
            #expect(results.questions.map(\.key) == ["pace", "why"])
            #expect(results.questions.map(\.retired) == [false, true])
            #expect(results.questions.map(\.versions) == [[1, 2], [1, 1]])
            #expect(results.questions[1].answered == 1)
            let texts = try await meeting.host.get("\(meeting.path)/results/why/answers").expect(200)
            #expect(try texts.decoded(as: TextAnswers.self).items.map(\.text) == ["Because."])
            for table in ["submissions", "answers"] {
                let export = try await meeting.host.get("\(meeting.path)/export/\(table).csv").expect(200)
                #expect(export.text.contains("Because."), "\(table)")
            }
        }
    }

    @Test func removedOptionKeepsItsAnswersAndItsBucket() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pick(Self.fruits)))
            let sent = try await meeting.submit(#"{"pick": "b"}"#).expect(201)
            try await Self.edit(meeting, Self.pick([("a", "Apples")]))
            try await meeting.submit(#"{"pick": "a"}"#).expect(201)
            let refused = try await meeting.submit(#"{"pick": "b"}"#)
            #expect(refused.status == 422 && refused.faults == ["/answers/pick unknown-option"])
            let question = try await Self.results(meeting).questions.first
            #expect(Self.counts(question) == ["a": 1, "b": 1] && question?.labels == ["Apples", "Bananas"])
            #expect(question?.points?.map(\.share) == [0.5, 0.5])
            let own = try await service.anyone.get(
                "\(meeting.submissionsPath)/\(sent.string("id"))",
                headers: ["Authorization": "Receipt \(sent.string("receipt"))"]
            ).expect(200)
            #expect(own.json?["answers"]?["pick"] == .string("b"))
        }
    }

    @Test func renamedOptionKeepsItsAnswers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pick(Self.fruits)))
            try await meeting.submit(#"{"pick": "b"}"#).expect(201)
            try await Self.edit(meeting, Self.pick([("b", "Ripe bananas"), ("a", "Apples")]))
            try await meeting.submit(#"{"pick": "b"}"#).expect(201)
            let results = try await Self.results(meeting)
            #expect(Self.counts(results.questions.first) == ["b": 2, "a": 0])
            #expect(
                Self.changeLines(results) == [
                    "2 pick.b option-reworded Bananas → Ripe bananas", "2 pick.b option-moved 2 → 1",
                ])
            let summary = try await meeting.host.get("\(meeting.path)/export/summary.csv").expect(200)
            #expect(summary.text.contains(#""b","Ripe bananas",,2,1"#), "\(summary.text)")
        }
    }

    /// Exchanging labels would swap the meaning of all stored answers.
    @Test func exchangedLabelsAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pick(Self.fruits)))
            try await meeting.submit(#"{"pick": "b"}"#).expect(201)
            let exchanged = Self.pick([("a", "Bananas"), ("b", "Apples")])
            let response = try await meeting.define("{\"questions\": [\(exchanged)]}")
            #expect(response.status == 422)
            #expect(
                response.faults == [
                    "/questions/0/options/0/label label-of-another-option",
                    "/questions/0/options/1/label label-of-another-option",
                ])
            // Exchanging them in two steps is also refused, because an option's former label remains reserved for it.
            try await Self.edit(meeting, Self.pick([("a", "Fruit"), ("b", "Bananas")]))
            let byStep = try await meeting.define("{\"questions\": [\(Self.pick([("a", "Fruit"), ("b", "Apples")]))]}")
            #expect(byStep.faults == ["/questions/0/options/1/label label-of-another-option"])
            try await Self.edit(meeting, Self.pick(Self.fruits))
            try await Self.edit(meeting, Self.pick(Self.fruits.reversed()))
            #expect(Self.counts(try await Self.results(meeting).questions.first) == ["b": 1, "a": 0])
        }
    }

    @Test func exportsReceiptsAndResultsWorkWithRetiredQuestions() async throws {
        try await TestService.run { service in
            let settings = #", "multiple": true, "other": true"#
            let meeting = try await service.openMeeting(Self.list(Self.pick(Self.fruits, settings), Self.why))
            let sent = try await meeting.submit(#"{"pick": ["b", {"other": "Pears"}], "why": "x"}"#).expect(201)
            let proof = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            try await Self.edit(meeting, Self.pick([("a", "Apples")], #", "multiple": true"#))
            try await Self.edit(meeting, Self.pace)
            for table in ["summary", "questions", "meetings", "submissions", "answers"] {
                for format in ["csv", "ndjson"] {
                    let export = try await meeting.host.get("\(meeting.path)/export/\(table).\(format)").expect(200)
                    if ["submissions", "answers"].contains(table) { #expect(export.text.contains("Pears")) }
                }
            }
            try await service.anyone.get(meeting.formPath).expect(200)
            let stored = try await service.anyone.get(submissionPath, headers: proof).expect(200)
            #expect(stored.json?["answers"]?["pick"]?[0] == .string("b"))
            let question = try await Self.results(meeting).questions.first { $0.key == "pick" }
            #expect(Self.counts(question) == ["a": 0, "b": 1, "other": 1])
            try await service.anyone.delete(submissionPath, headers: proof).expect(204)
            let after = try await Self.results(meeting).questions
            #expect(after.allSatisfy { $0.answered == 0 && $0.skipped == 0 })
        }
    }

    @Test func readdedQuestionContinuesItsCounts() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pace, Self.why))
            try await meeting.submit(#"{"pace": 1, "why": "x"}"#).expect(201)
            try await Self.edit(meeting, Self.pace)
            try await meeting.submit(#"{"pace": 1}"#).expect(201)
            let other = #"{"key": "why", "kind": "rating", "title": "Why?"}"#
            let refused = try await meeting.define("{\"questions\": [\(other)]}")
            #expect(refused.status == 422 && refused.faults == ["/questions/0/kind fixed-once-published"])
            try await Self.edit(meeting, #"{"key": "why", "kind": "text", "title": "Why then?"}"#, Self.pace)
            try await meeting.submit(#"{"why": "y"}"#).expect(201)
            let results = try await Self.results(meeting)
            #expect(results.questions[0].answered == 2 && results.questions[0].skipped == 0)
            #expect(results.questions[0].versions == [1, 3] && results.questions[0].retired == false)
            #expect(
                Self.changeLines(results) == [
                    "2 why retired Why? → -", "3 why restored - → Why then?", "3 why reworded Why? → Why then?",
                ])
        }
    }

    @Test func settingsMayChangeBeforeTheFirstAnswer() async throws {
        try await TestService.run { service in
            let many = Self.pick(Self.fruits, #", "multiple": true"#)
            let other = try await service.openMeeting(Self.list(Self.pick(Self.fruits)))
            try await other.define("{\"identity\": \"device\", \"questions\": [\(many)]}").expect(200)
            let meeting = try await service.openMeeting(Self.list(Self.pick(Self.fruits)))
            try await Self.edit(meeting, many)
            // A participant who opened the first version still answers it with one option.
            try await meeting.send(#"{"version": 1, "answers": {"pick": "a"}}"#).expect(201)
            try await meeting.send(#"{"version": 2, "answers": {"pick": ["a", "b"]}}"#).expect(201)
            let results = try await Self.results(meeting)
            #expect(Self.counts(results.questions.first) == ["a": 2, "b": 1])
            #expect(Self.changeLines(results) == ["2 pick multiple - → -"])
            let export = try await meeting.host.get("\(meeting.path)/export/submissions.ndjson").expect(200)
            let rows = try export.text.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            #expect(rows.map { $0["pick.a"]?.int } == [1, 1])
            #expect(Set(rows.map { $0["pick.b"]?.int }) == [0, 1])
            let back = try await meeting.define("{\"questions\": [\(Self.pick(Self.fruits))]}")
            #expect(back.status == 422 && back.faults == ["/questions/0/multiple fixed-after-answers"])
        }
    }

    @Test func answersToAnOlderVersionCanBeCorrected() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pick(Self.fruits), Self.why))
            let sent = try await meeting.submit(#"{"pick": "b", "why": "x"}"#).expect(201)
            let path = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let proof = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            try await Self.edit(meeting, Self.pick([("a", "Apples"), ("c", "Cherries")]), Self.pace)
            // The first correction names the submission's own version, the second uses the current one.
            try await service.anyone.put(
                path, json: #"{"version": 1, "answers": {"pick": "b", "why": "y"}}"#, headers: proof
            ).expect(200)
            var results = try await Self.results(meeting)
            #expect(Self.counts(results.questions[0]) == ["a": 0, "c": 0, "b": 1])
            #expect(results.questions[2].answered == 1 && results.questions[1].skipped == 0)
            try await service.anyone.put(path, json: #"{"answers": {"pick": "c"}}"#, headers: proof).expect(200)
            results = try await Self.results(meeting)
            #expect(Self.counts(results.questions[0]) == ["a": 0, "c": 1, "b": 0])
            #expect(results.questions[2].answered == 0 && results.questions[2].skipped == 0)
            #expect(results.questions[1].skipped == 1, "the current version asks this question")
        }
    }

    @Test func allReadersSeeTheSameChanges() async throws {
        try await TestService.run { service in
            let settings = #""showResults": "always""#
            let meeting = try await service.openMeeting(Self.list(Self.pace), settings: settings)
            try await meeting.submit(#"{"pace": 1}"#).expect(201)
            let empty = try await Self.results(meeting)
            #expect(empty.changes == [] && empty.changesCut == false)
            let reworded = Self.pace.replacing("Pace?", with: "Tempo?")
            try await meeting.define("{\(settings), \"questions\": [\(reworded), \(Self.why)]}").expect(200)
            let host = try await meeting.results().expect(200)
            let results: Results = try host.decoded()
            #expect(Self.changeLines(results) == ["2 pace reworded Pace? → Tempo?", "2 why added - → Why?"])
            #expect(Set(results.changes.map(\.at)).count == 1)
            let share = try await meeting.host.post("\(meeting.path)/shares").expect(201)
            let shared = try await service.anyone.get("/v1/shares/\(share.string("token"))/results").expect(200)
            let participant = try await service.anyone.get("\(meeting.formPath)/results").expect(200)
            #expect(shared.body == host.body && participant.body == host.body)
            let viewer = meeting.watch()
            #expect(try await viewer.wait { $0.last?.data == host.text })
            await viewer.leave()
            // A new submission adds no change, and another instance reports the same changes.
            try await meeting.submit(#"{"pace": 1}"#).expect(201)
            #expect(try await Self.results(meeting).changes == results.changes)
            let store = try await service.fixture.secondStore()
            try await TestService.serve(store) { anyone in
                let other = try await anyone.get("\(meeting.formPath)/results").expect(200)
                #expect(try other.decoded(as: Results.self).changes == results.changes)
            }
            await store.close()
        }
    }

    @Test func filteredResultsReportTheSameChanges() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pace, Self.why, Self.pick(Self.fruits)))
            for pace in 1...3 { try await meeting.submit("{\"pace\": \(pace), \"why\": \"w\"}").expect(201) }
            let reworded = Self.pace.replacing("Pace?", with: "Tempo?")
            let more = #"{"key": "more", "kind": "rating", "title": "More?"}"#
            try await Self.edit(meeting, more, reworded, Self.pick(Self.fruits + [("c", "Cherries")]))
            try await meeting.submit(#"{"pace": 3, "more": 2}"#).expect(201)
            let unfiltered = try await Self.results(meeting)
            #expect(unfiltered.questions.map(\.key) == ["more", "pace", "pick", "why"])
            #expect(
                Set(Self.changeLines(unfiltered).compactMap { $0.split(separator: " ").dropFirst(2).first }).count >= 4)
            for condition in ["pace:3", "pick:a", "more:5"] {
                let filtered: Results = try await meeting.host.get("\(meeting.path)/results?where=\(condition)").expect(
                    200
                )
                .decoded()
                #expect(filtered.changes == unfiltered.changes && filtered.changesCut == false, "\(condition)")
                #expect(filtered.version == 2 && filtered.questions.map(\.key) == unfiltered.questions.map(\.key))
                #expect(filtered.questions.map(\.versions) == [[2, 2], [1, 2], [1, 2], [1, 1]])
                #expect(filtered.questions.map(\.retired) == [false, false, false, true])
                #expect(filtered.questions.map(\.title) == unfiltered.questions.map(\.title))
            }
        }
    }

    @Test func newestHundredChangesAreReported() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.list(Self.pace))
            for number in 1...103 {
                try await Self.edit(meeting, Self.pace.replacing("Pace?", with: "Pace \(number)?"))
                if number == 100 { #expect(try await Self.results(meeting).changesCut == false) }
            }
            let results = try await Self.results(meeting)
            #expect(results.changes.count == 100 && results.changesCut)
            #expect(results.changes.first?.version == 5 && results.changes.last?.version == 104)
        }
    }
}
