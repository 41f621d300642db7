import Contract
import Domain
import Foundation
import Store

extension Contract.Meeting {
    init(_ meeting: StoredMeeting) {
        self.init(
            id: ResourceID(meeting.id), seriesId: ResourceID(meeting.seriesID), series: meeting.series,
            round: meeting.round, title: meeting.title, startsAt: meeting.startsAt, endsAt: meeting.endsAt,
            timeZone: meeting.timeZone, place: meeting.place, headcount: meeting.headcount,
            lateAfterMinutes: meeting.lateAfterMinutes, allowOverlap: meeting.allowOverlap, state: meeting.phase,
            checkInCode: meeting.checkInCode, image: meeting.imagePath, deletedAt: meeting.deletedAt,
            purgesAt: meeting.purgesAt, attended: meeting.attended, submissions: meeting.form.submissions,
            form: FormSummary(
                id: ResourceID(meeting.form.id), code: meeting.form.code,
                state: meeting.form.state(at: meeting.now).rawValue, version: meeting.form.version))
    }
}

extension StoredMeeting {
    fileprivate var imagePath: String? { hasImage ? "/v1/meetings/\(id.lowercased)/image" : nil }
}

extension Contract.Series {
    init(_ series: MeetingSeries) {
        self.init(
            id: ResourceID(series.id), title: series.title, code: series.code, role: series.role,
            rounds: series.rounds, members: series.members,
            owner: Owner(id: ResourceID(series.ownerID), name: series.owner), createdAt: series.createdAt,
            deletedAt: series.deletedAt, purgesAt: series.purgesAt, retentionDays: series.retentionDays,
            retentionLimitDays: series.retentionLimitDays, effectiveRetentionDays: series.effectiveRetentionDays,
            latest: series.latest.map { Latest($0) })
    }
}

extension Contract.Series.Latest {
    fileprivate init(_ meeting: StoredMeeting) {
        self.init(
            id: ResourceID(meeting.id), round: meeting.round, title: meeting.title, startsAt: meeting.startsAt,
            timeZone: meeting.timeZone, image: meeting.imagePath, attended: meeting.attended,
            submissions: meeting.form.submissions, state: meeting.phase)
    }
}

extension LiveMeetings.Counters {
    init(_ meeting: StoredMeeting) {
        self.init(
            id: ResourceID(meeting.id), title: meeting.title, round: meeting.round, state: meeting.phase,
            formState: meeting.form.state(at: meeting.now).rawValue, attended: meeting.attended,
            submissions: meeting.form.submissions, headcount: meeting.headcount)
    }
}

extension Contract.MeetingConflict {
    init(_ conflict: Domain.MeetingConflict) {
        self.init(
            id: conflict.subject.map { ResourceID($0.id) }, title: conflict.subject?.title,
            startsAt: conflict.startsAt, endsAt: conflict.endsAt,
            seriesId: conflict.subject.map { ResourceID($0.seriesID) })
    }
}

extension Contract.Share {
    init(_ share: ShareLink) {
        self.init(
            id: ResourceID(share.id), name: share.name, createdAt: share.createdAt, expiresAt: share.expiresAt,
            createdBy: Creator(id: ResourceID(share.creatorID), name: share.creator))
    }
}

extension SharedMeeting {
    init(_ meeting: StoredMeeting, expiresAt: Date) {
        self.init(
            title: meeting.title, series: meeting.series, round: meeting.round, startsAt: meeting.startsAt,
            timeZone: meeting.timeZone, expiresAt: expiresAt)
    }
}

extension Contract.CalendarDay {
    init(_ day: StoredCalendarDay) {
        self.init(
            date: day.date, meetings: day.meetings, formsOpen: day.formsOpen, attended: day.attended,
            submissions: day.submissions)
    }
}
