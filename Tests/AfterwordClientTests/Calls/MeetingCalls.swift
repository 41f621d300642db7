import AfterwordClient
import Foundation
import HTTPAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MeetingCalls {
    private static let withPublicURL = ServiceOptions(publicURL: "https://feedback.example.org")

    @Test func editChangesOnlyTheGivenFields() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let start = Sample.time(inMinutes: 60)
            let created = try await host.createMeeting(
                MeetingRequest(
                    title: "Retro", startsAt: start, endsAt: start.addingTimeInterval(3600), place: "Room 4",
                    headcount: 9))
            let meeting = try await host.meeting(created.id)
            let edited = try await host.edit(
                meeting, MeetingEdit(endsAt: .set(start.addingTimeInterval(1800)), place: .remove, headcount: 7))
            #expect(edited.endsAt == start.addingTimeInterval(1800) && edited.startsAt == start)
            #expect(edited.place == nil && edited.headcount == 7 && edited.title == "Retro")
            let stale = try await refusal { try await host.edit(meeting, MeetingEdit(title: "Late")) }
            #expect(stale?.code == .preconditionFailed)
            let undated = try await host.editMeeting(
                created.id, MeetingEdit(startsAt: .remove, endsAt: .remove), matching: edited.tag)
            #expect(undated.startsAt == nil && undated.endsAt == nil && undated.state == nil)
            let incomplete = try await refusal { try await host.edit(undated, MeetingEdit(startsAt: .set(start))) }
            #expect(incomplete?.status == 422)
        }
    }

    @Test func timeIsAvailableUntilAMeetingOccupiesIt() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let (start, end) = (Sample.time(inMinutes: 60), Sample.time(inMinutes: 120))
            #expect(try await host.availability(from: start, to: end) == Availability(available: true, conflicts: []))
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro", startsAt: start, endsAt: end))
            let taken = try await host.availability(from: start, to: end, in: meeting.seriesId)
            #expect(!taken.available && taken.conflicts.map(\.id) == [meeting.id])
            #expect(taken.conflicts.first?.startsAt == start && taken.conflicts.first?.title == "Retro")
            #expect(try await refusal { _ = try await host.availability(from: end, to: start) }?.status == 422)
        }
    }

    @Test func calendarListsTheDaysWithMeetings() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let start = try #require(RFC3339.parse("2026-11-20T23:30:00Z"))
            _ = try await host.createMeeting(
                MeetingRequest(
                    title: "Morning", startsAt: start, endsAt: start.addingTimeInterval(900),
                    repeat: Repetition(every: "P1D", count: 3)))
            let days = try await host.calendar(from: "2026-11-01", to: "2026-12-01")
            #expect(days.map(\.date) == ["2026-11-20", "2026-11-21", "2026-11-22"])
            #expect(days.allSatisfy { $0.meetings == 1 && $0.attended == 0 && $0.formsOpen == 0 })
            let seoul = try await host.calendar(
                from: start, to: start.addingTimeInterval(86_400), timeZone: "Asia/Seoul")
            #expect(seoul.map(\.date) == ["2026-11-21"])
            let tooLong = try await refusal { _ = try await host.calendar(from: "2026-11-01", to: "2029-11-01") }
            #expect(tooLong?.errors.map(\.pointer) == ["?to"])
        }
    }

    @Test func imageIsUploadedAndDownloaded() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(MeetingRequest(title: "Retro"))
            #expect(try await refusal { _ = try await host.image(of: meeting.id) }?.code == .notFound)
            let picture = try #require(Picture(try Sample.png))
            let shown = try await host.setImage(of: meeting.id, to: picture)
            #expect(shown.image == "/v1/meetings/\(meeting.id)/image")
            let image = try await host.image(of: meeting.id)
            let (downloaded, tag) = (image.value, image.tag)
            try await host.describeImage(of: meeting.id, as: "Cups")
            #expect(downloaded.mediaType == "image/png" && !downloaded.bytes.isEmpty)
            let stale = await #expect(throws: AfterwordProblem.self) {
                try await host.removeImage(of: meeting.id, matching: ETag("\"old\""))
            }
            #expect(stale?.code == .preconditionFailed)
            try await host.removeImage(of: meeting.id, matching: tag)
            #expect(try await host.meeting(meeting.id).image == nil)
        }
    }

    @Test func qrCodesLeadToFormCheckInAndPoster() async throws {
        try await TestService.run(options: Self.withPublicURL) { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(
                MeetingRequest(
                    title: "Retro", startsAt: Sample.time(inMinutes: -10), endsAt: Sample.time(inMinutes: 50)))
            let series = try await host.series(meeting.seriesId)
            let base = "https://feedback.example.org"
            let form = try await host.formQRCode(of: meeting.id)
            #expect(form.url == "\(base)/f/\(meeting.form.code)" && form.warning == nil)
            #expect(
                form.mediaType.hasPrefix("image/svg+xml")
                    && String(decoding: form.bytes, as: UTF8.self).contains("<svg"))
            let checkIn = try await host.checkInQRCode(of: meeting.id, as: .png())
            #expect(checkIn.url == "\(base)/c/\(meeting.checkInCode)" && Picture(checkIn.bytes) != nil)
            let large = try await host.checkInQRCode(of: meeting.id, as: .png(scale: 20))
            #expect(large.bytes.count > checkIn.bytes.count)
            #expect(try await host.formQRCode(of: meeting.id, as: .png()).url == form.url)
            #expect(try await host.checkInQRCode(of: meeting.id, as: .svg).url == checkIn.url)
            for format in [QRCodeImage.Format.svg, .png(scale: 2)] {
                #expect(try await host.posterQRCode(of: meeting.seriesId, as: format).url == "\(base)/s/\(series.code)")
            }
            #expect(try await service.afterword.posterTarget(series.code) == checkIn.url)
            #expect(try await refusal { _ = try await service.afterword.posterTarget("nowhere") }?.code == .notFound)
            let huge = try await refusal { _ = try await host.formQRCode(of: meeting.id, as: .png(scale: 9999)) }
            #expect(huge?.errors.map(\.pointer) == ["?scale"])
        }
    }

    @Test func finishedFormCannotBeReopened() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let meeting = try await host.createMeeting(
                MeetingRequest(title: "Retro", questions: [.rating("pace", "Pace?")]))
            #expect(try await refusal { try await host.finish(meeting.id) }?.code == .formNotOpen)
            let open = try await host.publish(meeting.id)
            let final = try await host.finish(meeting.id, matching: open.tag)
            #expect(final.state == "final" && !final.finalising)
            #expect(try await host.finish(meeting.id).tag == final.tag)
            #expect(try await refusal { try await host.reopen(meeting.id) }?.code == .formFinal)
        }
    }
}
