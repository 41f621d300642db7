import Contract
import Cryptography
import Foundation
import StrictJSON
import TestSupport
import Testing

/// The main flow of README.md without the event stream, from the password to the exported file.
@Suite(.timeLimit(.minutes(15))) struct MainFlow {
    private static let meeting = """
        {"title": "Retro, \\"Winter\\"", "startsAt": "2026-11-20T09:00:00Z", "endsAt": "2026-11-20T10:00:00Z",
         "timeZone": "Asia/Seoul", "place": "Room 1", "headcount": 6, "questions": \(TestStore.questions)}
        """
    private static let submissions = [
        #"{"pace": 4, "topics": ["demo"], "better": "Mehr Zeit, bitte"}"#,
        #"{"pace": 5, "topics": ["demo", {"other": "the snacks"}]}"#,
        #"{"pace": 4, "topics": ["talk", "demo"], "better": "조금 더"}"#,
        #"{"pace": 3, "topics": []}"#,
        #"{"pace": 5, "better": "   "}"#,
    ]

    @Test func mainFlowLeadsFromSignInToExport() async throws {
        try await TestService.run { service in
            let signIn = SessionRequest(email: "HOST@example.org", password: TestStore.password)
            let body = String(decoding: try ContractCoding.encode(signIn), as: UTF8.self)
            let session = try await service.anyone.post("/v1/sessions", json: body).expect(201).decoded(
                as: Session.self)
            #expect(session.account.name == "Hanna Host" && session.account.role == "host")
            #expect(session.expiresAt > Date())

            let host = service.anyone.bearing(session.token)
            let response = try await host.post("/v1/meetings", json: Self.meeting)
            let created = try response.expect(201).decoded(as: Meeting.self)
            #expect(created.round == 1 && created.form.state == "draft" && created.form.version == 0)
            #expect(created.title == "Retro, \"Winter\"" && created.headcount == 6)
            let meeting = try TestMeeting(created: response, host: host, anyone: service.anyone)

            let published = try await meeting.perform("publish").expect(200).decoded(as: Form.self)
            #expect(published.state == "open" && published.version == 1)
            #expect(published.definition.questions.map(\.key) == ["pace", "topics", "better"])

            let shown = try await service.anyone.get(meeting.formPath).expect(200).decoded(as: PublicForm.self)
            #expect(shown.title == "Retro, \"Winter\"" && shown.state == "open")
            #expect(shown.questions == published.definition.questions)

            for answers in Self.submissions {
                let receipt = try await meeting.submit(answers).expect(201).decoded(as: SubmissionReceipt.self)
                let proof = ["Authorization": "Receipt \(receipt.receipt)"]
                let own = try await service.anyone.get("\(meeting.submissionsPath)/\(receipt.id)", headers: proof)
                #expect(try own.expect(200).decoded(as: Submission.self).version == 1)
            }

            try await checkResults(meeting)
            let texts = try await host.get("\(meeting.path)/results/better/answers").expect(200)
                .decoded(as: TextAnswers.self)
            #expect(texts.items.map(\.text) == ["조금 더", "Mehr Zeit, bitte"] && texts.next == nil)
            try await checkSummary(meeting)
        }
    }

    private func checkResults(_ meeting: TestMeeting) async throws {
        let response = try await meeting.results().expect(200)
        #expect(
            response.json?.members?.map(\.name) == [
                "meetingId", "formId", "version", "revision", "updatedAt", "submissions", "headcount", "attended",
                "responseRate", "responseBase", "withheld", "questions", "changes", "changesCut",
            ])
        let names = response.json?["questions"]?.array?.map { $0.members?.map(\.name) ?? [] } ?? []
        let common = ["key", "kind", "title", "answered", "skipped", "asked", "versions", "retired"]
        let chart = ["labels", "datasets", "points"]
        #expect(
            names == [
                common + chart + ["mean", "median", "standardDeviation", "confidence95", "groupedMedian"],
                common + chart,
                common + ["released"],
            ])

        let results = try response.decoded(as: Results.self)
        #expect(results.submissions == 5 && results.headcount == 6 && results.withheld == nil)
        #expect(results.responseRate == nil, "there is no response rate, because anyone may answer any number of times")
        let pace = results.questions[0]
        #expect(pace.answered == 5 && pace.skipped == 0)
        #expect(pace.labels == ["1", "2", "3", "4", "5"])
        #expect(pace.datasets == [.init(id: "answers", label: "Answers", data: [0, 0, 1, 2, 2])])
        let summary = try #require(pace.summary)
        #expect(summary.mean == 4.2 && summary.median == 4)
        let deviation = try #require(summary.standardDeviation)
        #expect(abs(deviation - 0.836660) < 1e-6)
        let interval = try #require(summary.confidence95)
        #expect(abs(interval[0] - 3.161147) < 1e-5 && abs(interval[1] - 5.238853) < 1e-5)
        let five = try #require(pace.points?.last)
        #expect(five.id == "5" && five.value == 5 && five.count == 2 && five.share == 0.4)
        let (low, high) = (try #require(five.low), try #require(five.high))
        #expect(abs(low - 0.117621) < 1e-6 && abs(high - 0.769276) < 1e-6)

        let topics = results.questions[1]
        #expect(topics.answered == 3 && topics.skipped == 2)
        #expect(topics.labels == ["The demo", "The talk", "Other"])
        #expect(topics.datasets?.first?.data == [3, 1, 1])
        #expect(topics.points?.map(\.id) == ["demo", "talk", "other"])
        #expect(topics.points?.first?.share == 1)
        let better = results.questions[2]
        #expect(better.answered == 2 && better.skipped == 3 && better.datasets == nil)
    }

    private func checkSummary(_ meeting: TestMeeting) async throws {
        let file = "\(meeting.path)/export/summary.csv"
        let response = try await meeting.host.get(file).expect(200)
        #expect(response["Content-Type"] == "text/csv; charset=utf-8; header=present")
        #expect(
            response["Content-Disposition"]?.hasPrefix("attachment; filename=\"summary.csv\"; filename*=UTF-8''")
                == true)
        let lines = response.text.split(separator: "\r\n")
        try #require(lines.count == 10)
        let header = """
            series_id,series,round,meeting_id,meeting,host,date,starts_at,time_zone,position,question,kind,title,\
            bucket_position,option_id,label,value,count,share,answered,skipped
            """
        #expect(lines[0].replacing("\"", with: "") == header)
        let title = #""Retro, ""Winter""""#
        #expect(lines[4].contains(title) && lines[4].contains(#","Hanna Host","#))
        #expect(lines[4].replacing("\"", with: "").hasSuffix(",4,4,4,2,0.4,5,0"))
        #expect(lines[9].replacing("\"", with: "").hasSuffix(",,,,,,,2,3"))

        let token = try #require(meeting.host.authorization)
        let raw = try await RawConnection.open(port: meeting.host.port) { raw in
            try await raw.send(
                "GET \(file) HTTP/1.1\r\nHost: x\r\nAuthorization: \(token)\r\nConnection: close\r\n\r\n")
            return await raw.readToEnd()
        }.lowercased()
        let digest = Data(SHA256.hash(response.body)).base64EncodedString().lowercased()
        #expect(raw.contains("trailer: afterword-rows, repr-digest"))
        let trailers = raw.components(separatedBy: "\r\n0\r\n").last ?? ""
        #expect(trailers.contains("afterword-rows: 9\r\n"))
        #expect(trailers.contains("repr-digest: sha-256=:\(digest):\r\n"))
    }
}
