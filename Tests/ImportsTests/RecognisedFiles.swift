import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Imports

/// What a file's columns seem to be, and the map that follows.
@Suite struct RecognisedFiles {
    private static func sample(_ text: String) throws -> CSVSample { try CSVSample(Array(text.utf8)) }

    private static func uses(_ text: String) throws -> [String] {
        try ColumnProposal(sample(text)).uses.map(\.name)
    }

    /// The map that the proposals make.
    private static func map(_ text: String, zone: String = "UTC") throws -> String {
        let sample = try sample(text)
        let proposal = ColumnProposal(sample)
        let columns = zip(sample.header, proposal.uses).map { MapDraft.Column(name: $0, use: $1) }
        return MapDraft(
            columns: columns, seriesTitle: "S", meetingTitle: "M", timeZone: zone, order: proposal.order,
            isDatedByRows: proposal.uses.contains(.submittedAt)
        ).text
    }

    private static func plan(_ text: String, zone: String = "UTC") throws -> ImportPlan {
        let map = try ImportMap.read(Array(map(text, zone: zone).utf8))
        let sample = try sample(text)
        var planner = ImportPlanner(
            map: map, hostID: Sample.host, delimiter: sample.delimiter, encoding: sample.encoding)
        try planner.read(Array(text.utf8))
        return try planner.finish()
    }

    /// With 200 columns, all values would take seconds.
    @Test func timesAreRecognisedByTheFirstHundredValues() {
        let times = [String](repeating: "27.11.2026 20:35", count: 100)
        let others = [String](repeating: "later", count: 900)
        #expect(ColumnProposal.order(of: times + others) == (true, .dmy))
        #expect(ColumnProposal.order(of: others + times).isTime == false)
    }

    static let google = """
        "Timestamp","Username","How was the pace?","What helped?","Anything else?"
        "2026/11/27 8:35:12 PM GMT+1","ann@example.org","4","Demo","More time, please"
        "2026/11/27 8:36:00 PM GMT+1","ben@example.org","5","Talk",""
        "2026/11/27 8:37:00 PM GMT+1","cid@example.org","2","Demo","=1+1"
        "2026/11/27 8:38:00 PM GMT+1","","3","Demo",""
        """
    static let microsoft = """
        ID;Start time;Completion time;Email;Name;How likely are you to recommend it?;Why?
        1;11/27/26 20:30:00;11/27/26 20:35:12;anonymous;;0;No
        2;11/27/26 20:31:00;11/27/26 20:36:12;anonymous;;10;Yes because
        """
    static let lime = """
        "Response ID","Date submitted","Last page","Start language","Seed","What helped? [Demo]","What helped? [Talk]","What helped? [Other]"
        "1","2026-11-27 20:35:12","2","en","123","Yes","No",""
        "2","2026-11-27 20:36:12","2","en","124","Yes","Yes","The coffee"
        """

    @Test func googleFormsIsRecognised() throws {
        #expect(SurveyService(header: try Self.sample(Self.google).header) == .googleForms)
        #expect(try Self.uses(Self.google) == ["time", "skip", "rating-1-5", "choice", "text"])
        let plan = try Self.plan(Self.google)
        #expect(plan.rowCount == 4 && plan.refused.isEmpty && plan.questions.count == 3)
        #expect(plan.allRows[0].submittedAt.map { RFC3339.format($0) } == "2026-11-27T19:35:12Z")
        // A text that looks like a formula stays as it is.
        #expect(plan.answers[2].contains("=1+1"))
        #expect(!(try Self.map(Self.google)).contains("Username"))
    }

    @Test func microsoftFormsIsRecognisedWithItsDelimiter() throws {
        let sample = try Self.sample(Self.microsoft)
        #expect(sample.delimiter == UInt8(ascii: ";"))
        #expect(SurveyService(header: sample.header) == .microsoftForms)
        #expect(try Self.uses(Self.microsoft) == ["skip", "skip", "time", "skip", "skip", "nps", "text"])
        let plan = try Self.plan(Self.microsoft, zone: "Europe/Berlin")
        #expect(plan.allRows[0].submittedAt.map { RFC3339.format($0) } == "2026-11-27T19:35:12Z")
        #expect(plan.answers[1].contains("\"how_likely_are_you_to_recommend\":10"))
    }

    @Test func multipleChoiceOfLimeSurveyIsOneQuestion() throws {
        #expect(SurveyService(header: try Self.sample(Self.lime).header) == .limeSurvey)
        #expect(
            try Self.uses(Self.lime) == ["skip", "time", "skip", "skip", "skip", "option", "option", "other"])
        let plan = try Self.plan(Self.lime)
        #expect(plan.questions.map(\.title) == ["What helped?"] && plan.refused.isEmpty)
        let answers = [#"{"what_helped":["demo"]}"#, #"{"what_helped":["demo","talk",{"other":"The coffee"}]}"#]
        #expect(plan.answers == answers)
    }

    private static let checkboxes = """
        Timestamp,What helped?,Would you recommend it?
        2026/11/27 8:35:12 PM GMT+1,Talks;Demos,9
        2026/11/27 8:31:00 PM GMT+1,Talks,10
        2026/11/28 9:00:00 AM GMT+1,"Demos;Lunch;Demos",3
        2026/11/28 9:01:00 AM GMT+1,,8
        """

    @Test func checkboxesOfGoogleFormsAreAMultipleChoice() throws {
        #expect(try Self.uses(Self.checkboxes) == ["time", "several-semicolon", "nps"])
        let map = try Self.map(Self.checkboxes)
        #expect(map.contains(#""separator":";""#) && map.contains(#""metric":"nps""#))
        let plan = try Self.plan(Self.checkboxes)
        #expect(plan.refused.isEmpty)
        #expect(
            plan.answers == [
                #"{"what_helped":["talks","demos"],"would_you_recommend_it":9}"#,
                #"{"what_helped":["talks"],"would_you_recommend_it":10}"#,
                #"{"what_helped":["demos","lunch"],"would_you_recommend_it":3}"#, #"{"would_you_recommend_it":8}"#,
            ])
        guard case .choice(let choice) = plan.questions[0].kind else {
            Issue.record("the check boxes are no choice")
            return
        }
        #expect(choice.multiple && choice.options.map(\.label) == ["Demos", "Lunch", "Talks"])
    }

    @Test func meetingIsDatedByTheHourOfItsFirstRow() throws {
        let meeting = try #require(try Self.plan(Self.checkboxes, zone: "Asia/Kolkata").series.first?.meetings.first)
        // In this zone hours begin at half past those of UTC.
        #expect(meeting.startsAt.map(RFC3339.format) == "2026-11-27T19:30:00Z" && meeting.allowsOverlap)
        #expect(meeting.endsAt.map(RFC3339.format) == "2026-11-27T20:30:00Z")
    }

    private static let headers: [(String, SurveyService?)] = [
        ("Zeitstempel,Frage\n27.11.2026 20:35:12,a\n", SurveyService.googleForms),
        ("타임스탬프,질문\n2026/11/27 8:35:12 PM GMT+9,a\n", .googleForms),
        ("ID,Startzeit,Fertigstellungszeit,E-Mail,Name,Frage\n", .microsoftForms),
        ("\u{FEFF}id,submitdate,lastpage,Q1\n", .limeSurvey), ("Timestamp of birth,Q\n", nil), ("id,name\n", nil),
    ]

    @Test(arguments: headers)
    func servicesAreRecognisedInTheirLanguages(_ text: String, _ service: SurveyService?) throws {
        #expect(SurveyService(header: try Self.sample(text).header) == service)
    }

    @Test(arguments: [
        ("a,b,c\n1,2,3\n", ","), ("a;b;c\n1;2,5;3\n", ";"), ("a\tb\n1\t2\n", "\t"), ("a|b\n1|2\n", "|"),
        ("\"a;b\",c\n1,2\n", ","), ("a\n1\n", ","), ("", ","),
    ])
    func delimiterIsThatOfTheHeader(_ text: String, _ delimiter: String) {
        #expect(CSVSample.delimiter(of: Array(text.utf8)) == delimiter.utf8.first)
    }

    @Test func wrongDelimiterIsNoticed() throws {
        let bytes = Array("a;b;c\n1;2;3\n".utf8)
        #expect(try CSVSample(bytes, delimiter: UInt8(ascii: ",")).betterDelimiter == UInt8(ascii: ";"))
        #expect(try CSVSample(bytes).betterDelimiter == nil)
        #expect(try CSVSample(Array("a\n1\n".utf8)).betterDelimiter == nil)
    }

    @Test func encodingsAreRecognised() throws {
        let text = "Größe;Wörter\n1;schön\n2;über\n3;möglich\n"
        #expect(try CSVSample(Array(text.utf8)).encoding == .utf8)
        let little: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let wide = try CSVSample(little)
        #expect(wide.encoding.name == "utf-16" && wide.header == ["Größe", "Wörter"] && wide.rowCount == 3)
        let latin = text.unicodeScalars.map { UInt8($0.value) }
        let narrow = try CSVSample(latin)
        #expect(narrow.encoding != .utf8 && narrow.header == ["Größe", "Wörter"])
        // One broken row leaves a file UTF-8.
        let broken = Array((String(repeating: "한국어,답\n", count: 50)).utf8) + [0xFF, 0x2C, 0x0A]
        let mostly = try CSVSample(broken, encoding: .utf8)
        #expect(mostly.faultCount == 1 && mostly.firstFault?.line == 51 && mostly.firstFault?.code == "invalid-utf8")
    }

    @Test(arguments: ["", "a,a\n1,2\n", "\"a"])
    func unusableHeaderIsRefused(_ text: String) {
        #expect(throws: ImportFailure.self) { _ = try CSVSample(Array(text.utf8), encoding: .utf8) }
    }

    @Test(arguments: [
        (["1", "5", "3"], "rating-1-5"), (["0", "10"], "nps"), (["1", "7"], "rating-1-7"),
        (["1", "9"], "rating-1-10"), (["0", "3"], "rating-0-5"), (["0", "1", "1"], "choice"),
        (["11", "12", "13"], "text"), (["1.5", "2", "3"], "text"), (["yes", "no", "yes", "no"], "choice"),
        (["Talks;Demos", "Talks", "Demos;Lunch", "Lunch"], "several-semicolon"),
        (["Talks, Demos", "Talks", "Demos, Talks"], "several-comma"), (["Yes, always", "No", "Yes, always"], "choice"),
        (["A; but not now", "B; later on", "no"], "text"),
        (["a long sentence", "another", "a third"], "text"), (["", ""], "skip"),
    ])
    func useFollowsTheValues(_ values: [String], _ use: String) throws {
        let text = "x,q\n" + values.map { "a,\"\($0)\"\n" }.joined()
        #expect(try Self.uses(text).last == use)
    }

    @Test func keysAreDistinctAndValid() throws {
        let text = "질문,질문?,Pace,pace!,2nd,other,,{b}\nab,ab,ab,ab,ab,ab,ab,ab\nb,c,d,e,f,g,h,i\n"
        let map = try ImportMap.read(Array(Self.map(text).utf8))
        #expect(map.questions.map(\.key) == ["q1", "q2", "pace", "pace_2", "q_2nd", "other_2", "q7", "b"])
    }

    @Test func reservedHeadingsGetOtherKeys() throws {
        let columns = ["Name", "Round", "E-Mail", "Q [Other text]"].map { name in
            MapDraft.Column(name: name, use: name.hasPrefix("Q") ? .option : .text)
        }
        let draft = MapDraft(columns: columns, seriesTitle: "S", meetingTitle: "M", timeZone: "UTC", order: nil)
        let map = try ImportMap.read(Array(draft.text.utf8))
        #expect(map.questions.map(\.key) == ["name_2", "round_2", "e_mail", "q"])
    }

    @Test func columnsOfMeetingsAndSeriesTitleThem() throws {
        let columns = [
            MapDraft.Column(name: "week", use: .meeting), .init(name: "te{am", use: .series),
            .init(name: "why", use: .text, title: "Why {not}?"),
        ]
        let draft = MapDraft(columns: columns, seriesTitle: "A {b}", meetingTitle: "Week", timeZone: "UTC", order: nil)
        let map = try ImportMap.read(Array(draft.text.utf8))
        #expect(map.meeting.by == "week" && map.meeting.title.columns == ["week"])
        #expect(map.series.by == "te{am" && map.series.title.source == "A (b)")
        #expect(map.questions.first?.definition["title"]?.string == "Why {not}?")
    }

    @Test func ownWordsWithoutAChoiceAreAFault() throws {
        let columns = [MapDraft.Column(name: "why", use: .text), .init(name: "words", use: .otherText)]
        let draft = MapDraft(columns: columns, seriesTitle: "S", meetingTitle: "M", timeZone: "UTC", order: nil)
        #expect(throws: Problem.self) { _ = try ImportMap.read(Array(draft.text.utf8)) }
    }
}
