import Contract
import Domain
import Store

extension Contract.Attendee {
    init(_ attendee: StoredAttendee) {
        self.init(
            id: ResourceID(attendee.id), name: attendee.name, email: attendee.email,
            status: attendee.status.rawValue, checkedInAt: attendee.checkedInAt, code: attendee.code)
    }
}

extension Contract.CheckInMeeting {
    init(_ meeting: StoredCheckInMeeting) {
        self.init(
            title: meeting.title, series: meeting.series, startsAt: meeting.window.startsAt,
            endsAt: meeting.window.endsAt,
            timeZone: meeting.timeZone, place: meeting.place, state: meeting.state.rawValue,
            form: FormState(code: meeting.formCode, state: meeting.formState.rawValue))
    }
}

extension Contract.CheckIn {
    /// Omits the stored name, because a client that knows only the address must not learn it.
    init(_ checkIn: StoredCheckIn) {
        self.init(
            status: checkIn.status.rawValue, checkedInAt: checkIn.checkedInAt,
            meeting: Contract.CheckInMeeting(checkIn.meeting))
    }
}

extension WalkInCount {
    init(_ count: WalkIns.Count) {
        self.init(count: count.people, limit: count.limit, first: count.first, last: count.last)
    }
}

extension Person {
    /// The largest number of rounds listed, the latest first. Totals and streaks count all rounds.
    static let longestHistory = 200

    /// What the person sees, without the address.
    init(_ report: PersonReport) {
        let record = report.record
        self.init(
            name: report.name, series: report.series, rounds: report.counted.count, present: record.present,
            late: record.late, absent: record.absent, attended: record.attended, answered: report.answered,
            daysAttended: report.daysAttended, daysAnswered: report.daysAnswered,
            currentStreak: record.currentStreak, longestStreak: record.longestStreak,
            history: report.rounds.suffix(Self.longestHistory).reversed().map { Round($0) })
    }

    /// What accounts with access to the series see.
    init(ofSeries report: PersonReport) {
        self.init(report)
        email = report.email
        code = report.code
        $code.isApplicable = true
        for (index, round) in report.rounds.suffix(Self.longestHistory).reversed().enumerated() {
            history[index].meetingId = ResourceID(round.meetingID)
        }
    }
}

extension Person.Round {
    fileprivate init(_ round: PersonReport.Round) {
        self.init(
            round: round.number, title: round.title, date: round.date, status: round.status?.rawValue,
            answered: round.answered)
    }
}
