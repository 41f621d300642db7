import TestSupport
import Testing

/// What no table can be made of is said before the first byte, with the parameter that is wrong.
@Suite(.timeLimit(.minutes(15))) struct ExportRefusals {
    @Test func eachParameterThatIsWrongIsNamed() async throws {
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
                let answer = try await service.host.get("\(path)/export/summary.csv?\(query)")
                #expect(answer.status == 422 && answer.faults == faults, "\(query): \(answer.faults)")
            }
            let all = try await service.admin.get("/v1/admin/export/submissions.csv")
            #expect(all.status == 422 && all.faults == ["?what several-series"])
        }
    }
}
