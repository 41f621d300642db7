import Contract
import Foundation
import StrictJSON
import Testing

@testable import WebPages

/// The names and addresses that a host pastes into a text field.
@Suite struct PastedPeople {
    private func read(_ text: String) -> [String] { PeopleLines(text).people.map { "\($0.name)|\($0.email)" } }

    @Test(
        arguments: [
            ("Ann, ann@x.org", "Ann|ann@x.org"), ("ann@x.org, Ann", "Ann|ann@x.org"),
            ("Ann\tann@x.org", "Ann|ann@x.org"),
            ("Ann Ames <ann@x.org>", "Ann Ames|ann@x.org"), ("\"Ames, Ann\" <ann@x.org>", "Ames, Ann|ann@x.org"),
            ("\"Ames, Ann\";ann@x.org", "Ames, Ann|ann@x.org"), ("Ames, Ann, ann@x.org", "Ames Ann|ann@x.org"),
            ("\"The \"\"A\"\"\",ann@x.org", "The \"A\"|ann@x.org"), ("ann@x.org", "ann|ann@x.org"), ("Ann", "Ann|"),
        ])
    func commonNotationsAreParsed(line: String, expected: String) {
        #expect(read(line) == [expected])
    }

    @Test func headerDeterminesTheColumns() {
        #expect(read("\u{FEFF}Phone,E-mail,Name\n1,ann@x.org,Ann\n2,bob@x.org") == ["Ann|ann@x.org", "|bob@x.org"])
        #expect(read("이름;이메일\n김미나;mina@x.org") == ["김미나|mina@x.org"])
    }

    @Test func peopleKeepTheirLines() {
        #expect(
            PeopleLines("Ann, ann@x.org\r\n\n , \n Bob, bob@x.org\n").lines == ["Ann, ann@x.org", "Bob, bob@x.org"])
    }

    @Test func readingStopsAfterOnePersonTooMany() {
        let text = (0..<10_000).map { "Ann \($0) <ann\($0)@x.org>\n, ;\n" }.joined()
        #expect(PeopleLines(text).people.count == 501)
        #expect(PeopleLines(text, limit: 200).people.map(\.email).last == "ann200@x.org")
        #expect(PeopleLines(String(repeating: " , ;\t\n", count: 10_000)).people.isEmpty)
    }

    @Test func addressesInAngleBracketsHaveNoFurtherBrackets() {
        #expect(read("Ann <<ann@x.org>") == ["Ann <|ann@x.org"])
        #expect(read("Ann <ann@x.org>>") == ["Ann <ann|Ann <ann@x.org>>"])
        #expect(read("<ann@x.org>") == ["|ann@x.org"])
    }

    @Test func linesEndWhereTheirCharactersDo() {
        let text = "a\r\n\nb\rc\u{85}d\u{2028}\u{2029}e\u{B}f\u{C}\n\u{301}g\t h\u{1F468}\u{200D}\u{1F469}"
        #expect(TextLines(text).map { String($0) } == text.split(whereSeparator: \.isNewline).map { String($0) })
        #expect(Array(TextLines("\n\r\n")).isEmpty && Array(TextLines("")).isEmpty)
    }
}

/// Times and months in a time zone.
@Suite struct TimesInAZone {
    @Test func daysAndZonesHaveTheirCommonNames() {
        #expect(LocalTime.dayText("2026-11-21", in: .english) == "21 Nov 2026")
        #expect(LocalTime.dayText("2026-11-21", in: .korean) == "2026년 11월 21일")
        #expect(LocalTime.dayText("2026-11-21", in: .german) == "21. Nov. 2026")
        #expect(LocalTime.dayText("soon", in: .english) == nil && LocalTime.dayText("2026-02-31", in: .english) == nil)
        #expect(LocalTime(nil).name == "UTC" && LocalTime("UTC").name == "UTC")
        #expect(LocalTime("Asia/Seoul").name == "Asia/Seoul")
    }

    @Test func timesAreParsedAndWrittenInTheirZone() throws {
        let berlin = LocalTime("Europe/Berlin")
        let winter = try #require(berlin.parse("2026-11-21T09:30"))
        #expect(RFC3339.format(winter) == "2026-11-21T08:30:00Z")
        #expect(berlin.field(winter) == "2026-11-21T09:30" && LocalTime("Asia/Seoul").day(winter) == "2026-11-21")
        #expect(LocalTime("No/Where").field(winter) == "2026-11-21T08:30")
        for text in ["", "2026-02-30T09:00", "2026-11-21", "2026-11-21T24:00", "tomorrow"] {
            #expect(berlin.parse(text) == nil, "\(text)")
        }
    }

    @Test func monthsHaveWholeWeeks() throws {
        let month = try #require(CalendarMonth("2026-11", in: LocalTime("Asia/Seoul")))
        #expect(month.weeks(beginning: 2).first?.map { $0?.number } == [nil, nil, nil, nil, nil, nil, 1])
        #expect(month.weeks(beginning: 1).map { $0.count } == [7, 7, 7, 7, 7])
        #expect(month.weeks(beginning: 1).flatMap { $0 }.compactMap { $0?.text }.last == "2026-11-30")
        #expect(RFC3339.format(month.start) == "2026-10-31T15:00:00Z")
        #expect(month.following.text == "2026-12" && month.following.following.text == "2027-01")
        #expect(try #require(CalendarMonth("2026-01", in: LocalTime(nil))).previous.text == "2025-12")
        for text in ["2026-13", "2026-00", "0000-01", "2026", "x"] {
            #expect(CalendarMonth(text, in: LocalTime(nil)) == nil)
        }
    }
}

/// The times that are proposed for the next round of a series.
@Suite struct ProposedRounds {
    private func meeting(_ start: String?, hours: Double = 1, zone: String = "Europe/Berlin") -> Meeting {
        let start = start.flatMap(RFC3339.parse)
        return Meeting(
            id: ResourceID(UUID()), seriesId: ResourceID(UUID()), series: "S", round: 1, title: "M", startsAt: start,
            endsAt: start?.addingTimeInterval(hours * 3600), timeZone: zone, place: nil, headcount: nil,
            lateAfterMinutes: 5, allowOverlap: false, state: nil, checkInCode: "c", attended: 0, submissions: 0,
            form: .init(id: ResourceID(UUID()), code: "f", state: "open", version: 1))
    }

    private func propose(_ rounds: [Meeting], now: String) throws -> NextRound {
        NextRound(after: rounds, now: try #require(RFC3339.parse(now)))
    }

    @Test func firstProposalIsAWeekLaterInLocalTime() throws {
        // Summer time ends on 25 October.
        let next = try propose([meeting("2026-10-22T07:00:00Z", hours: 1.5)], now: "2026-10-23T00:00:00Z")
        #expect(next.start == "2026-10-29T09:00" && next.end == "2026-10-29T10:30")
    }

    @Test func proposalsKeepTheUsualInterval() throws {
        let rounds = [meeting("2026-11-15T08:00:00Z"), meeting("2026-11-01T08:00:00Z")]
        #expect(try propose(rounds, now: "2026-11-16T00:00:00Z").start == "2026-11-29T09:00")
        // One round was postponed, and one day had two rounds.
        let weekly = ["11-12", "11-05", "10-22", "10-15", "10-15", "10-08"].map { meeting("2026-\($0)T12:00:00Z") }
        #expect(try propose(weekly, now: "2026-11-13T00:00:00Z").start == "2026-11-19T13:00")
        let mixed = ["11-22", "11-08", "11-01"].map { meeting("2026-\($0)T12:00:00Z") }
        #expect(try propose(mixed, now: "2026-11-23T00:00:00Z").start == "2026-11-29T13:00")
        // The order of round numbers may differ from that of the dates.
        #expect(try propose(Array(weekly.reversed()), now: "2026-11-13T00:00:00Z").start == "2026-11-19T13:00")
    }

    @Test func missedRoundsAreSkippedByWholeIntervals() throws {
        let rounds = [meeting("2026-10-15T08:00:00Z"), meeting("2026-10-01T08:00:00Z")]
        #expect(try propose(rounds, now: "2026-11-13T00:00:00Z").start == "2026-11-26T10:00")
    }

    @Test func proposedTimesHaveNoSeconds() throws {
        let next = try propose([meeting("2026-11-15T08:00:42Z", hours: 0.99)], now: "2026-11-16T00:00:00Z")
        #expect(next.start == "2026-11-22T09:00" && next.end == "2026-11-22T10:00")
        let short = try propose([meeting("2026-11-15T08:00:01Z", hours: 0.001)], now: "2026-11-16T00:00:00Z")
        #expect(short.start == "2026-11-22T09:00" && short.end == "2026-11-22T09:01")
    }

    @Test func proposalsAreNeverInThePast() throws {
        #expect(try propose([meeting("2026-01-05T08:00:00Z")], now: "2026-11-16T08:00:00Z").start == "2026-11-23T09:00")
        #expect(try propose([meeting("2026-01-05T08:00:00Z")], now: "2026-11-16T07:59:59Z").start == "2026-11-16T09:00")
        #expect(try propose([meeting("2030-01-07T08:00:00Z")], now: "2026-11-16T08:00:00Z").start == "2030-01-14T09:00")
    }

    @Test func undatedSeriesGetAProposalInAWeek() throws {
        let next = try propose([meeting(nil)], now: "2026-11-16T08:14:15Z")
        #expect(next.start == "2026-11-23T09:00" && next.end == "2026-11-23T10:00")
        let earlier = try propose(
            [meeting(nil), meeting("2026-11-10T08:00:00Z")], now: "2026-11-16T08:14:15Z")
        #expect(earlier.start == "2026-11-17T09:00")
    }

    @Test func daysOfTheCurrentYearAreShownWithoutTheYear() throws {
        let now = try #require(RFC3339.parse("2026-11-16T08:00:00Z"))
        let seoul = LocalTime("Asia/Seoul")
        let next = try #require(RFC3339.parse("2026-12-02T16:00:00Z"))
        #expect(seoul.weekdayText(next, in: .english, now: now) == "Thu 3 December")
        #expect(seoul.weekdayText(next, in: .korean, now: now) == "12월 3일 (목)")
        #expect(seoul.weekdayText(next, in: .german, now: now) == "Do. 3. Dezember")
        let later = next.addingTimeInterval(31 * 86_400)
        #expect(seoul.weekdayText(later, in: .english, now: now) == "Sun 3 January 2027")
    }
}

/// The names of time zones in a list of times.
@Suite struct ZonesOfLists {
    private let winter = Date(timeIntervalSince1970: 1_795_000_000)

    @Test func zonesAreNamedIfTheyDiffer() {
        #expect(ZoneNames(among: ["Asia/Seoul", "Asia/Seoul"]).name("Asia/Seoul", at: winter) == nil)
        let mixed = ZoneNames(among: ["America/New_York", "UTC"])
        #expect(mixed.name("America/New_York", at: winter) == "America/New York")
        #expect(mixed.name("UTC", at: winter) == "UTC")
        let own = ZoneNames("Europe/Berlin", among: ["America/New_York", "Europe/Berlin"])
        #expect(own.name("Europe/Berlin", at: winter) == nil && own.name("Europe/Paris", at: winter) == nil)
        #expect(own.dayText(winter, in: "Asia/Seoul", .english).hasSuffix(" (Asia/Seoul)"))
    }
}

/// The lines in the chart of a trend.
@Suite struct TrendLines {
    private func line(_ data: [Double?], _ low: [Double?]? = nil, _ high: [Double?]? = nil) -> Trend.Dataset {
        let none = [Double?](repeating: nil, count: data.count)
        return Trend.Dataset(
            id: "mean", label: "Mean", data: data, low: low ?? none, high: high ?? none, change: none, changeLow: none,
            changeHigh: none)
    }

    @Test func linesAreInterruptedByARoundWithoutAnswers() throws {
        let chart = TrendChart(rounds: [1, 2, 3, 4], lines: [line([2, 4, nil, 3])], unit: .mean, marks: [3])
        let drawn = try #require(chart.drawing.lines.first)
        let runs = drawn.runs
        #expect(runs.count == 2 && runs[0] == "80.0,196.0 256.0,20.0" && runs[1] == "608.0,108.0")
        #expect(drawn.dots.count == 3)
        #expect(chart.drawing.marks == ["432.0"])
        #expect(chart.drawing.grid.count == 3)
    }

    @Test func wideIntervalsAreClippedToTheScale() throws {
        let wide = line([3, 4], [-1, 2], [8, 6])
        let chart = TrendChart(rounds: [1, 2], lines: [wide], unit: .mean, marks: [], scale: 1...5)
        #expect(chart.drawing.grid.map(\.label) == ["1", "2", "3", "4", "5"])
        #expect(chart.drawing.bands == ["80.0,196.0 608.0,152.0 608.0,20.0 80.0,20.0"])
        let widerEarlierScale = TrendChart(
            rounds: [1, 2], lines: [line([3, 7])], unit: .mean, marks: [], scale: 1...5)
        #expect(widerEarlierScale.drawing.grid.last?.label == "7")
    }

    @Test func bandIsDrawnWhereBothBoundsExist() throws {
        let chart = TrendChart(
            rounds: [1, 2], lines: [line([0.5, 0.5], [0.25, nil], [0.75, 1])], unit: .share, marks: [])
        #expect(chart.drawing.bands == ["80.0,152.0 80.0,64.0"])
    }

    /// The four rounds: like the others, certain, all answered, and a room that is unknown.
    @Test func bandIsThatOfTheFirstStatement() throws {
        let none = [Double?](repeating: nil, count: 4)
        var rooms = line([0.5, 0.5, 0.5, 0.5], [0.1, 0.1, 0.1, 0.25], [0.9, 0.9, 0.9, 0.75])
        rooms.room = Trend.Room(
            low: [0.4, 0.3, nil, nil], high: [0.6, 0.7, nil, nil], certainLow: [0.3, 0.2, 0.5, nil],
            certainHigh: [0.7, 0.8, 0.5, nil], first: ["ifAlike", "certain", "known", nil], changeLow: none,
            changeHigh: none, certainChangeLow: none, certainChangeHigh: none, changeFirst: none.map { _ in nil })
        let found = (0..<4).map { rooms.firstStatement(at: $0) }
        let expected = [
            ("ifAlike", 0.4, 0.6), ("certain", 0.2, 0.8), ("known", 0.5, 0.5), ("similarPeople", 0.25, 0.75),
        ]
        #expect(found == expected.map { Trend.Dataset.Statement(name: $0.0, low: $0.1, high: $0.2) })
        #expect(rooms.firstStatements == ["ifAlike", "certain", "similarPeople"])
        #expect(line([0.5]).firstStatements.isEmpty)
    }
}
