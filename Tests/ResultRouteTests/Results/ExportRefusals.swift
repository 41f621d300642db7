import StrictJSON
import TestSupport
import Testing

/// A request for a table that cannot be exported is refused before the first byte of the response. The problem explains
/// the refusal and names an invalid parameter.
@Suite(.timeLimit(.minutes(15))) struct ExportRefusals {
    @Test func eachInvalidParameterIsNamed() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let series = "/v1/series/\(meeting.seriesID)"
            for (path, query, faults) in [
                (meeting.path, "delimiter=ab", ["?delimiter invalid-delimiter"]),
                (meeting.path, "delimiter=", ["?delimiter invalid-delimiter"]),
                (meeting.path, "delimiter=7", ["?delimiter invalid-delimiter"]),
                (meeting.path, "delimiter=%C3%A9", ["?delimiter invalid-delimiter"]),
                (meeting.path, "bom=maybe", ["?bom invalid-flag"]),
                (meeting.path, "from=2026-01-01", ["?from unknown-parameter"]),
                (series, "from=2026-02-02&to=2026-02-02", ["?to ends-before-start"]),
                (series, "from=2026-02-02&to=2026-02-01T23:59:59Z", ["?to ends-before-start"]),
                (series, "from=yesterday", ["?from invalid-time"]), (series, "to=2026-02-30", ["?to invalid-time"]),
                (series, "timeZone=X", ["?timeZone unknown-parameter"]),
            ] {
                let response = try await service.host.get("\(path)/export/summary.csv?\(query)")
                #expect(response.status == 422 && response.faults == faults, "\(query): \(response.faults)")
            }
            for (query, detail) in [
                (
                    "from=yesterday",
                    "A date or an instant is expected here, such as 2026-11-21 or 2026-11-21T09:30:00Z."
                ),
                ("from=2026-02-02&to=2026-02-02", "`to` must be later than `from`."),
            ] {
                let response = try await service.host.get("\(series)/export/summary.csv?\(query)")
                #expect(response.json?["errors"]?.array?.first?["detail"]?.string == detail, "\(response.text)")
            }
            let all = try await service.admin.get("/v1/admin/export/submissions.csv")
            #expect(all.status == 422 && all.faults == ["?what several-series"])
        }
    }

    @Test func exportOfAnOpenAnonymousFormExplainsTheRefusal() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true, "minimumGroup": 4"#)
            for _ in 1...3 { try await meeting.submit(#"{"better": "x"}"#).expect(201) }
            let open = "Individual answers of an anonymous form can be read only after it has closed."
            let few =
                "The form is closed, but fewer than 4 people (its minimum group) have answered since its results were "
                + "last shown, so individual answers are withheld."
            let paths = ["/export/answers.csv", "/results/better/answers"].map { meeting.path + $0 }
            for (verb, reason) in [("publish", open), ("close", few), ("reopen", open)] {
                try await meeting.perform(verb).expect(200)
                for path in paths {
                    let response = try await service.host.get(path)
                    #expect(response.status == 409 && response.problem == "results-withheld")
                    #expect(response.json?["detail"]?.string == reason)
                }
            }
            try await meeting.submit(#"{"better": "x"}"#).expect(201)
            try await meeting.perform("close").expect(200)
            for path in paths { try await service.host.get(path).expect(200) }
        }
    }

    /// The number of answers is withheld, so 0 would be wrong.
    @Test func withheldResultHasNoCounts() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true, "minimumGroup": 3"#)
            for _ in 1...2 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            for table in ["summary", "questions"] {
                let rows = try await service.host.get("\(meeting.path)/export/\(table).ndjson").expect(200).text
                    .split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
                #expect(rows.count == 3)
                #expect(rows.allSatisfy { $0["answered"]?.isNull == true && $0["skipped"]?.isNull == true })
            }
        }
    }
}
