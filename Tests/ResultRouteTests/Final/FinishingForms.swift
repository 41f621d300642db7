import Contract
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// The effect of `finish`, and the actions that a final form still allows.
@Suite(.timeLimit(.minutes(15))) struct FinishingForms {
    private static let anonymous = #""anonymous": true, "showResults": "afterSubmission""#

    @Test func draftCannotBeFinished() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let response = try await meeting.perform("finish")
            #expect(response.status == 409 && response.problem == "form-not-open")
            #expect(
                response.json?["detail"]?.string
                    == "Publish the form first: a draft has no answers that could become final.")
            #expect(try await meeting.form().json?["finalising"] == .bool(false))
            #expect(try await meeting.perform("finish", json: #"{"a": 1}"#).status == 400)
            try await meeting.perform("publish").expect(200)
            let stale = try await service.host.post("\(meeting.path)/form/finish", headers: ["If-Match": "\"old\""])
            #expect(stale.status == 412)
            let tag = try #require(try await meeting.form()["ETag"])
            try await service.host.post("\(meeting.path)/form/finish", headers: ["If-Match": tag]).expect(200)
        }
    }

    @Test(arguments: [false, true]) func finalFormCannotBeReopened(anonymous: Bool) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: "\"anonymous\": \(anonymous)")
            let key = "a-key-of-one-client"
            let sent = try await meeting.submit(#"{"pace": 4}"#, key: key).expect(201)
            let proof = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            let submissionPath = "\(meeting.submissionsPath)/\(try sent.string("id"))"
            let final = try await meeting.finish()
            #expect(final.json?["finalising"] == .bool(false))
            #expect(try await service.anyone.get(meeting.formPath).string("state") == "final")

            let again = try await meeting.perform("finish").expect(200)
            #expect(again.body == final.body && again["ETag"] == final["ETag"])
            #expect(try await service.auditTrail(of: "form.finish").count == 1)
            #expect(try await meeting.perform("close").expect(200).body == final.body)
            let refused = [
                try await meeting.perform("reopen"), try await meeting.perform("publish"),
                try await meeting.define("{\"questions\": \(TestStore.questions)}"),
                try await meeting.submit(#"{"pace": 5}"#), try await meeting.submit(#"{"pace": 4}"#, key: key),
                try await service.anyone.put(submissionPath, json: #"{"answers": {"pace": 1}}"#, headers: proof),
                try await service.anyone.delete(submissionPath, headers: proof),
            ]
            for response in refused {
                #expect(response.status == 409 && response.problem == "form-final", "\(response.text)")
            }
            // Authors of a form that is not anonymous can still read their submission.
            #expect(try await service.anyone.get(submissionPath, headers: proof).status == (anonymous ? 409 : 200))
            let spam = try await service.host.delete("\(meeting.path)/submissions/\(try sent.string("id"))")
            #expect(spam.problem == (anonymous ? "anonymous-form" : "form-final"))
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 1)
        }
    }

    /// Changes are refused as soon as finalising has begun, even while it waits for other transactions.
    @Test func formsBeingFinalisedRefuseChangesWithoutWaiting() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.anonymous)
            let receipt = try await meeting.receipt()
            let viewer = LiveTestViewer(
                service.anyone, "\(meeting.formPath)/live",
                headers: ["Authorization": "Receipt \(receipt.receipt)"])
            #expect(try await viewer.wait { $0.submissions == 1 })
            let reader = try await service.superuserConnection()
            try await reader.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM form_state")
            let waiting = try await meeting.perform("finish").expect(200)
            #expect(try waiting.string("state") == "closed" && waiting.json?["finalising"] == .bool(true))
            #expect(try await viewer.wait { $0.isOver })
            // Copying a large form holds this lock for a long time.
            let copying = try await service.superuserConnection()
            try await copying.script("BEGIN")
            try await service.lock("form_state", of: meeting, on: copying)
            let submissionPath = "\(meeting.submissionsPath)/\(receipt.id)"
            let proof = ["Authorization": "Receipt \(receipt.receipt)"]
            for response in [
                try await meeting.submit(#"{"pace": 5}"#), try await meeting.perform("reopen"),
                try await meeting.define("{\"questions\": \(TestStore.questions)}"),
                try await service.anyone.get(submissionPath, headers: proof),
                try await service.anyone.delete(submissionPath, headers: proof),
                try await meeting.participant(receipt: receipt.receipt),
            ] { #expect(response.problem == "form-final", "\(response.text)") }
            #expect(try await meeting.perform("close").expect(200).json?["finalising"] == .bool(true))
            try await copying.script("ROLLBACK")
            await copying.close()
            #expect(try await service.storedState(of: meeting) == "finalising")
            try await reader.script("COMMIT")
            await reader.close()
            #expect(try await meeting.finish()["ETag"] != waiting["ETag"])
        }
    }

    @Test func finishingAnOpenFormClosesItAndReleasesTheRest() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.anonymous)
            for pace in 1...5 {
                try await meeting.submit("{\"pace\": \(pace), \"better\": \"text \(pace)\"}").expect(201)
            }
            #expect(try await meeting.results().decoded(as: Results.self).withheld?.shown == 0)
            try await meeting.finish()
            #expect(try await service.publishedState(of: meeting) == "closed")
            #expect(try await service.tick() == [])
            let results = try await meeting.results().decoded(as: Results.self)
            #expect(results.withheld == nil && results.questions[0].datasets?.first?.data == [1, 1, 1, 1, 1])
            #expect(Set(try await meeting.texts().items.map(\.text)) == Set((1...5).map { "text \($0)" }))

            let few = try await service.openMeeting(settings: Self.anonymous)
            for pace in 1...2 { try await few.submit("{\"pace\": \(pace)}").expect(201) }
            try await few.finish()
            #expect(try await few.results().decoded(as: Results.self).withheld?.shown == 0)
        }
    }

    @Test func finishingChangesNoResultsTextsOrExports() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.anonymous)
            for pace in 1...4 {
                let topics = "[\"demo\", {\"other\": \"tea \(pace)\"}]"
                try await meeting.submit("{\"pace\": \(pace), \"topics\": \(topics), \"better\": \"text \(pace)\"}")
                    .expect(201)
            }
            try await meeting.perform("close").expect(200)
            let first = try #require(try await meeting.texts("?q=text+1").items.first?.id)
            try await meeting.moderate("hide", answer: first).expect(204)
            let viewer = meeting.watch()
            #expect(try await viewer.wait { !$0.events.isEmpty })
            let before = try await Self.contents(meeting)
            let resultsBefore = try await meeting.results().expect(200)
            try await meeting.finish()
            #expect(try await Self.contents(meeting) == before)
            // Viewers are notified.
            let resultsAfter = try await meeting.results().expect(200)
            #expect(resultsAfter["ETag"] != resultsBefore["ETag"])
            #expect(try await viewer.wait { $0.last?.data == resultsAfter.text })
            await viewer.leave()

            // Hosts can still moderate texts.
            #expect(try await meeting.texts("?hidden=true").items.map(\.text) == ["text 1"])
            let hidden = try #require(try await meeting.texts("?hidden=true").items.first?.id)
            try await meeting.moderate("unhide", answer: hidden).expect(204)
            #expect(try await meeting.texts().items.count == 4)
            let other = try #require(try await meeting.texts("?q=text+3").items.first?.id)
            try await meeting.moderate("hide", answer: other).expect(204)
            try await meeting.moderate("release").expect(204)
            let share = try await meeting.sharePath()
            #expect(try await service.anyone.get(share + "/results").expect(200).status == 200)
            let released = try await service.anyone.get(share + "/results/better/answers").expect(200)
            #expect(
                Set((released.json?["items"]?.array ?? []).compactMap { $0["text"]?.string }) == [
                    "text 1", "text 2", "text 4",
                ])
        }
    }

    /// The results, texts and exported rows of a form.
    private static func contents(_ meeting: TestMeeting) async throws -> [String] {
        let results = try await meeting.results().expect(200).decoded(as: Results.self)
        var shown = [String(describing: results.questions), "\(results.submissions)"]
        shown += try await meeting.texts().items.map(\.text).sorted()
        for table in ["summary", "questions", "answers"] {
            let rows = try await meeting.host.get("\(meeting.path)/export/\(table).csv").expect(200).text
            shown += rows.split(separator: "\r\n").map(String.init).sorted()
        }
        return shown
    }

    @Test func meetingOfAFinalFormCanStillBeEdited() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: Self.anonymous)
            for pace in 1...3 { try await meeting.submit("{\"pace\": \(pace)}").expect(201) }
            try await meeting.finish()
            try await meeting.move(from: -60, to: 60)
            #expect(try await meeting.state() == "final")
            let next = try await service.host.post("/v1/series/\(meeting.seriesID)/meetings").expect(201)
            #expect(next.json?["form"]?["state"] == .string("draft"))
            try await service.host.delete(meeting.path).expect(204)
            #expect(try await service.anyone.get(meeting.formPath).status == 404)
            try await service.host.post("\(meeting.path)/restore").expect(200)
            #expect(try await meeting.state() == "final")
            #expect(try await service.tick() == [])
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 3)
        }
    }

    @Test func personIsErasedFromAFinalFormThatIsNotAnonymous() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""identity": "attendee""#)
            let person = try await meeting.add("Ann", "ann@example.org").expect(201).string("id")
            let link = try await service.host.post("\(meeting.attendeesPath)/\(person)/link").expect(200)
            let token = try link.string("token")
            try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
            try await meeting.finish()
            let erased = try await service.admin.post("/v1/admin/erasures", json: #"{"email": "ann@example.org"}"#)
            #expect(try erased.expect(200).json?["erased"]?["submissions"]?.int == 1)
            #expect(try await meeting.results().decoded(as: Results.self).submissions == 0)
        }
    }
}
