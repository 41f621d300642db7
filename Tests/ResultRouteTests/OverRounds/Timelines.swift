import Contract
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct Timelines {
    private func timeline(_ meeting: TestMeeting, _ query: String = "") async throws -> HTTPTestClient.Response {
        try await meeting.host.get("\(meeting.path)/results/timeline\(query.isEmpty ? "" : "?" + query)")
    }

    @Test func submissionsAreCountedByTheHourWithoutGaps() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: #""timeZone": "Asia/Kathmandu""#)
            let empty = try await timeline(meeting).decoded(as: Timeline.self)
            #expect(empty.labels.isEmpty && empty.points.isEmpty && empty.datasets.first?.data == [])
            try await service.submit(
                #"{"pace": 3}"#, to: meeting,
                at: [
                    "2026-11-05T09:14:59Z", "2026-11-05T09:15:00Z", "2026-11-05T10:14:30Z", "2026-11-05T12:20:00Z",
                    "2026-11-05T12:20:59Z",
                ])
            let response = try await timeline(meeting).expect(200)
            let hours = try response.decoded(as: Timeline.self)
            // The zone's offset is +05:45, and each step begins on a local hour.
            #expect(hours.labels == ["5 Nov 14:00", "5 Nov 15:00", "5 Nov 16:00", "5 Nov 17:00", "5 Nov 18:00"])
            #expect(hours.datasets.map(\.data) == [[1, 2, 0, 0, 2]] && hours.datasets[0].id == "submissions")
            #expect(hours.points.map(\.total) == [1, 3, 3, 3, 5] && hours.points.map(\.at) == hours.startsAt)
            #expect(hours.startsAt.first?.formatted(.iso8601) == "2026-11-05T08:15:00Z")
            #expect(hours.bucket == "hour" && hours.timeZone == "Asia/Kathmandu")
            let tag = try #require(response["ETag"])
            let path = "\(meeting.path)/results/timeline"
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 304)

            let minutes = try await timeline(meeting, "bucket=minute&timeZone=UTC").decoded(as: Timeline.self)
            #expect(minutes.labels.first == "5 Nov 09:14" && minutes.labels.last == "5 Nov 12:20")
            #expect(minutes.points.count == 187 && minutes.points.last?.count == 2 && minutes.points.last?.total == 5)
            let days = try await timeline(meeting, "bucket=day").decoded(as: Timeline.self)
            #expect(days.labels == ["5 Nov"] && days.datasets[0].data == [5])
        }
    }

    /// Local days have 23, 24 or 25 hours, and each step of an hour is one elapsed hour.
    @Test func daysFollowTheZoneAcrossDaylightSaving() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(members: #""timeZone": "Europe/Berlin""#)
            try await service.submit(
                #"{"pace": 3}"#, to: meeting,
                at: [
                    "2026-10-24T21:59:00Z", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z",
                    "2026-10-25T22:59:00Z", "2026-10-25T23:00:00Z", "2026-10-28T12:00:00Z",
                ])
            let days = try await timeline(meeting, "bucket=day").decoded(as: Timeline.self)
            #expect(days.labels == ["24 Oct", "25 Oct", "26 Oct", "27 Oct", "28 Oct"])
            #expect(days.datasets[0].data == [1, 4, 1, 0, 1])
            #expect(
                days.startsAt.map { $0.formatted(.iso8601) } == [
                    "2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-26T23:00:00Z",
                    "2026-10-27T23:00:00Z",
                ])
            let hours = try await timeline(meeting, "bucket=hour").decoded(as: Timeline.self)
            #expect(
                hours.labels[1...6] == [
                    "25 Oct 00:00", "25 Oct 01:00", "25 Oct 02:00 +02:00", "25 Oct 02:00 +01:00", "25 Oct 03:00",
                    "25 Oct 04:00",
                ])
            #expect(hours.datasets[0].data[1...6] == [1, 0, 1, 1, 0, 0])
            #expect(hours.datasets[0].data.reduce(0, +) == 7)

            let spring = try await service.openMeeting(members: #""timeZone": "America/New_York""#)
            try await service.submit(
                #"{"pace": 3}"#, to: spring,
                at: ["2026-03-08T04:59:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"])
            let short = try await timeline(spring, "bucket=day").decoded(as: Timeline.self)
            #expect(short.datasets[0].data == [1, 1, 1])
            #expect(short.startsAt[2].timeIntervalSince(short.startsAt[1]) == 23 * 3600)

            // Samoa crossed the date line and skipped 30 December 2011. In Cairo, 24 April 2026 begins at one o'clock.
            let samoa = try await service.openMeeting(members: #""timeZone": "Pacific/Apia""#)
            try await service.submit(
                #"{"pace": 3}"#, to: samoa, at: ["2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z"])
            #expect(try await timeline(samoa, "bucket=day").decoded(as: Timeline.self).labels == ["29 Dec", "31 Dec"])
            let cairo = try await service.openMeeting(members: #""timeZone": "Africa/Cairo""#)
            try await service.submit(
                #"{"pace": 3}"#, to: cairo, at: ["2026-04-23T12:00:00Z", "2026-04-24T12:00:00Z"])
            let late = try await timeline(cairo, "bucket=day").decoded(as: Timeline.self)
            #expect(late.labels == ["23 Apr", "24 Apr"] && late.datasets[0].data == [1, 1])
        }
    }

    /// The timeline's sum equals the number of submissions after each submission and each withdrawal.
    @Test func timelineAddsUpToTheSubmissions() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            var sent: [(path: String, receipt: String)] = []
            for turn in 1...12 {
                if turn.isMultiple(of: 3), let last = sent.popLast() {
                    try await service.anyone.send(
                        "DELETE", last.path, headers: ["Authorization": "Receipt \(last.receipt)"]
                    ).expect(204)
                } else {
                    let response = try await meeting.submit(#"{"pace": 3}"#).expect(201)
                    sent.append(
                        ("\(meeting.submissionsPath)/\(try response.string("id"))", try response.string("receipt")))
                }
                for bucket in ["minute", "hour", "day"] {
                    let steps = try await timeline(meeting, "bucket=\(bucket)").decoded(as: Timeline.self)
                    #expect(steps.datasets[0].data.reduce(0, +) == sent.count, "\(bucket)")
                    #expect(steps.points.last?.total ?? 0 == sent.count, "\(bucket)")
                }
            }
        }
    }

    /// If there are more days than a response may have steps, a client requests shorter periods.
    @Test func manyYearsAreReadInPeriods() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            try await service.submit(
                #"{"pace": 3}"#, to: meeting,
                at: ["1996-01-01T08:00:00Z", "2024-12-31T23:59:59Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"])
            let refused = try await timeline(meeting, "bucket=day")
            #expect(refused.faults == ["?bucket too-many-steps"] && refused.text.contains("a shorter period"))
            let late = try await timeline(meeting, "bucket=day&from=2024-01-01").decoded(as: Timeline.self)
            #expect(late.labels.first == "31 Dec 2024" && late.labels.last == "1 Jan 2026" && late.labels.count == 367)
            #expect(late.points.last?.total == 3)
            let halfOpen = try await timeline(meeting, "bucket=hour&from=2024-12-31T23:59:00Z&to=2025-01-01")
                .decoded(as: Timeline.self)
            #expect(halfOpen.labels == ["31 Dec 23:00"] && halfOpen.datasets[0].data == [1])
            let quiet = try await timeline(meeting, "bucket=day&to=1990-01-01").decoded(as: Timeline.self)
            #expect(quiet.labels.isEmpty && quiet.points.isEmpty)
            #expect(
                try await timeline(meeting, "from=2026-01-01&to=2025-01-01").faults == ["?to ends-before-start"])
        }
    }

    @Test func anonymousFormHasDaysOnly() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: #""anonymous": true"#, members: #""timeZone": "Asia/Seoul""#)
            try await meeting.rate(3, 4)
            let days = try await timeline(meeting).decoded(as: Timeline.self)
            #expect(days.bucket == "day" && days.timeZone == "UTC" && days.datasets[0].data.reduce(0, +) == 2)
            for bucket in ["minute", "hour"] {
                #expect(try await timeline(meeting, "bucket=\(bucket)").faults == ["?bucket too-fine"])
            }
            #expect(try await timeline(meeting, "timeZone=Asia/Seoul").faults == ["?timeZone too-fine"])
            #expect(try await timeline(meeting, "bucket=day&timeZone=UTC").status == 200)
        }
    }

    @Test func invalidRequestsNameTheParameter() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            #expect(try await timeline(meeting, "bucket=week").faults == ["?bucket unknown-choice"])
            for zone in ["Nowhere/Atall", "+02:00", "UTC0", "", "localtime", "Factory", "posixrules", "posix/UTC"] {
                let encoded = zone.replacing("+", with: "%2B")
                #expect(
                    try await timeline(meeting, "timeZone=\(encoded)").faults == ["?timeZone unknown-time-zone"],
                    "\(zone)")
            }
            try await service.submit(
                #"{"pace": 3}"#, to: meeting, at: ["2026-01-01T00:00:00Z", "2026-01-07T22:39:00Z"])
            #expect(try await timeline(meeting, "bucket=minute").decoded(as: Timeline.self).points.count == 10_000)
            try await service.submit(#"{"pace": 3}"#, to: meeting, at: ["2026-01-07T22:40:00Z"])
            #expect(try await timeline(meeting, "bucket=minute").faults == ["?bucket too-many-steps"])
            #expect(try await timeline(meeting, "bucket=hour").status == 200)
            #expect(try await service.other.get("\(meeting.path)/results/timeline").status == 404)
        }
    }
}
