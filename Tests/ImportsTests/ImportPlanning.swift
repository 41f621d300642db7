import CSV
import Domain
import Foundation
import StrictJSON
import Testing

@testable import Imports

@Suite struct ImportPlanning {
    private let rating = #""column":"r","key":"rate","kind":"rating","title":"T""#
    private let choice = #""column":"c","key":"pick","kind":"choice","title":"T""#
    private let text = #""column":"t","key":"say","kind":"text","title":"T""#

    private func seriesMap(_ meeting: String = "") throws -> ImportMap {
        try ImportMap.read(
            Array(
                """
                {"series":{"by":"s","title":"Series {s}"},"meeting":{"by":"m"\(meeting),"title":"{s}/{m}"},
                 "questions":[{\(rating)}]}
                """.utf8))
    }

    @Test func numericOptionsAreSortedAsNumbers() throws {
        let plan = try Sample.plan(try Sample.map(choice), "c\n10\n9\n2\n10\n\"\"\n")
        guard case .choice(let choice) = plan.questions[0].kind else {
            Issue.record("The question is not a choice.")
            return
        }
        #expect(
            choice.options == [.init(id: "v2", label: "2"), .init(id: "v9", label: "9"), .init(id: "v10", label: "10")])
        #expect(plan.answers == [#"{"pick":"v10"}"#, #"{"pick":"v9"}"#, #"{"pick":"v2"}"#, #"{"pick":"v10"}"#, "{}"])
    }

    @Test func nonNumericOptionsAreSortedByCodePoint() throws {
        let long = String(repeating: "x", count: 41)
        let plan = try Sample.plan(
            try Sample.map(choice), "c\nb\nA b!\n10\n9\nother\né\na-b\n\(long)\n???\no1\n")
        guard case .choice(let choice) = plan.questions[0].kind else {
            Issue.record("The question is not a choice.")
            return
        }
        #expect(choice.options.map(\.label) == ["10", "9", "???", "A b!", "a-b", "b", "o1", "other", long, "é"])
        #expect(
            choice.options.map(\.id) == [
                "v10", "v9", "oa03b221c6c6e", "a_b", "a_b_d44362d67d92", "b", "o1", "other_d9298a10d1b0",
                "\(long.prefix(27))_3164596df4fd", "o4a99557e4033",
            ])
    }

    @Test func optionIdsAvoidTheColumnOfOtherTexts() throws {
        let plan = try Sample.plan(try Sample.map(choice), "c\nOther\nOther text\nothers\n")
        guard case .choice(let choice) = plan.questions[0].kind else {
            Issue.record("The question is not a choice.")
            return
        }
        #expect(choice.options.map(\.id) == ["other_f97e9da0e3b8", "other_text_51d4d63c4a9c", "others"])
    }

    @Test func moreThanFiftyValuesAreRefusedAsOptions() throws {
        let map = try Sample.map(text, choice)
        let rows = { (count: Int) in "t,c\n" + (0..<count).map { "x,\($0)\n" }.joined() }
        #expect(try Sample.plan(map, rows(50)).rowCount == 50)
        let failure = #expect(throws: ImportFailure.self) { try Sample.plan(map, rows(51)) }
        guard case .map(let faults)? = failure else {
            Issue.record("The failure has no faults of the map.")
            return
        }
        #expect(faults.map(\.code) == ["too-many-options"])
        #expect(faults.map(\.pointer) == ["/questions/1/column"])
        #expect(faults.first?.detail.contains("51") == true)
    }

    @Test func columnWithoutValuesIsRefused() throws {
        let failure = #expect(throws: ImportFailure.self) { try Sample.plan(try Sample.map(choice), "c\n") }
        guard case .map(let faults)? = failure else {
            Issue.record("The failure has no faults of the map.")
            return
        }
        #expect(faults.map(\.code) == ["no-options"])
    }

    @Test func givenOptionsMatchByIdThenByLabel() throws {
        let map = try Sample.map(
            choice + #","options":[{"id":"yes","label":"no"},{"id":"no","label":"Maybe"}]"#)
        #expect(
            try Sample.plan(map, "c\nyes\nno\nMaybe\nnever\n").answers == [
                #"{"pick":"yes"}"#, #"{"pick":"no"}"#, #"{"pick":"no"}"#, #"{"pick":"never"}"#,
            ])
    }

    @Test func otherTextsHaveAColumnOrAreUnknownValues() throws {
        let options = #","options":[{"id":"a","label":"A"}]"#
        let free = try Sample.map(choice + options + #","other":true"#)
        #expect(try Sample.plan(free, "c\nA\nzz\n").answers == [#"{"pick":"a"}"#, #"{"pick":{"other":"zz"}}"#])

        let column = try Sample.map(choice + options + #","otherColumn":"o""#)
        let plan = try Sample.plan(column, "c,o\na,\n,words\nother,more\nother,\na,both\nzz,\n")
        #expect(
            plan.answers == [
                #"{"pick":"a"}"#, #"{"pick":{"other":"words"}}"#, #"{"pick":{"other":"more"}}"#,
                #"{"pick":{"other":""}}"#, #"{"pick":"zz"}"#,
            ])
        #expect(plan.refused.map(\.code) == ["two-answers"])
        #expect(plan.refused.map(\.line) == [6])
        #expect(plan.refused.map(\.column) == ["o"])
    }

    @Test func derivedOptionsOmitOtherIfItHasAColumn() throws {
        let map = try Sample.map(choice + #","otherColumn":"o""#)
        let plan = try Sample.plan(map, "c,o\nx,\nother,words\n")
        guard case .choice(let choice) = plan.questions[0].kind else {
            Issue.record("The question is not a choice.")
            return
        }
        #expect(choice.options.map(\.id) == ["x"])
        #expect(choice.other)
    }

    @Test func multipleChoiceHasAColumnPerOption() throws {
        let map = try Sample.map(
            #""columns":{"demo":"k.demo","talk":"k.talk","other":"k.other"},"otherColumn":"k.other_text","key":"k","#
                + #""kind":"choice","title":"T""#)
        let plan = try Sample.plan(
            map,
            "k.demo,k.talk,k.other,k.other_text\n1,0,0,\nYes,X,1,words\n,,,\n0,no,false,\n0,0,1,\n2,0,0,\n,,,only\n")
        #expect(
            plan.answers == [
                #"{"k":["demo"]}"#, #"{"k":["demo","talk",{"other":"words"}]}"#, "{}", "{}", #"{"k":[{"other":""}]}"#,
                #"{"k":[{"other":"only"}]}"#,
            ])
        #expect(plan.refused.map { "\($0.line) \($0.column) \($0.code)" } == ["7 k.demo not-a-flag"])
        guard case .choice(let choice) = plan.questions[0].kind else {
            Issue.record("The question is not a choice.")
            return
        }
        #expect(choice.multiple && choice.other)
        #expect(choice.options == [.init(id: "demo", label: "k.demo"), .init(id: "talk", label: "k.talk")])
    }

    @Test func flagsMayBeDecimalNumbers() throws {
        let map = try Sample.map(#""columns":{"a":"x","b":"y"},"key":"k","kind":"choice","title":"T""#)
        let plan = try Sample.plan(map, "x,y\n1.0,0.0\n0.0,1.0\n1.5,0\n")
        #expect(plan.answers == [#"{"k":["a"]}"#, #"{"k":["b"]}"#])
        #expect(plan.refused.map(\.line) == [4])
    }

    @Test func ratingsBecomeNumbersAndInvalidOnesAreLeftToValidation() throws {
        let plan = try Sample.plan(
            try Sample.map(rating, more: #""missing":["NA"],"#), "r\n3\n3.0\n3.5\nNA\nthree\n\"\"\n1e999\n")
        #expect(
            plan.answers == [
                #"{"rate":3}"#, #"{"rate":3}"#, #"{"rate":3.5}"#, "{}", #"{"rate":"three"}"#, #"{"rate":""}"#,
                #"{"rate":"1e999"}"#,
            ])
        let form = PreparedForm(questions: plan.questions)
        let areValid = plan.allRows.map { row in (try? form.answers(from: row.answers)) != nil }
        #expect(areValid == [true, true, false, true, false, false, false])
    }

    @Test func guardsAreRemovedIfTheMapSaysSo() throws {
        let csv = "t\n'=1\n''=1\n'plain\n=1\n"
        let guarded = try Sample.plan(try Sample.map(text + #","guarded":true"#), csv)
        #expect(guarded.answers == [#"{"say":"=1"}"#, #"{"say":"'=1"}"#, #"{"say":"'plain"}"#, #"{"say":"=1"}"#])
        let plain = try Sample.plan(try Sample.map(text), csv)
        #expect(plain.answers == [#"{"say":"'=1"}"#, #"{"say":"''=1"}"#, #"{"say":"'plain"}"#, #"{"say":"=1"}"#])
    }

    @Test func canonicallyEquivalentTextsStayDistinct() throws {
        let plan = try Sample.plan(try Sample.map(text), "t\n\u{E9}\ne\u{301}\n")
        #expect(plan.allRows.map { Array($0.answers["say"]?.string?.utf8 ?? "".utf8).count } == [2, 3])
        #expect(Set(plan.allRows.map(\.key)).count == 2)
    }

    @Test func allMissingColumnsAreNamed() throws {
        let map = try ImportMap.read(
            Array(
                """
                {"series":{"by":"s","title":"{x}"},"meeting":{"title":"M"},"submittedAt":"when",
                 "questions":[{\(rating)},{"columns":{"a":"q.a"},"otherColumn":"q.o","key":"q","kind":"choice","title":"T"}]}
                """.utf8))
        let failure = #expect(throws: ImportFailure.self) { try Sample.plan(map, "r,q.a\n1,1\n") }
        guard case .map(let faults)? = failure else {
            Issue.record("The failure has no faults of the map.")
            return
        }
        #expect(faults.map(\.pointer) == ["/series/by", "/series/title", "/submittedAt", "/questions/1/otherColumn"])
        #expect(faults.allSatisfy { $0.code == "unknown-column" })
        #expect(failure?.sentences.first?.contains("“s”") == true)
    }

    @Test func emptyFileIsRefusedAndAHeaderAloneIsAnEmptyPlan() throws {
        let map = try Sample.map(rating)
        let failure = #expect(throws: ImportFailure.self) { try Sample.plan(map, "") }
        guard case .file(let fault)? = failure else {
            Issue.record("The failure is not a fault of the file.")
            return
        }
        #expect(fault.code == .emptyFile)
        let plan = try Sample.plan(map, "r\n")
        #expect(plan.series.isEmpty && plan.rowCount == 0 && plan.refused.isEmpty)
    }

    @Test func meetingsBecomeRoundsInTheRequestedOrder() throws {
        let csv = "s,m,r\n2,10,1\n1,9,2\n2,9,3\n2,10,4\n1,2,5\n"
        let up = try Sample.plan(try seriesMap(), csv)
        #expect(up.series.map(\.title) == ["Series 1", "Series 2"])
        #expect(up.series.map { $0.meetings.map(\.title) } == [["1/2", "1/9"], ["2/9", "2/10"]])
        #expect(up.series.map { $0.meetings.map(\.round) } == [[1, 2], [1, 2]])
        #expect(up.series[1].meetings[1].rows.map { up.row($0).line } == [2, 5])
        let down = try Sample.plan(try seriesMap(#","order":"descending""#), csv)
        #expect(down.series.map { $0.meetings.map(\.title) } == [["1/9", "1/2"], ["2/10", "2/9"]])
        #expect(down.series[0].meetings.map(\.id) == up.series[0].meetings.reversed().map(\.id))
    }

    @Test func rowsWithoutASeriesOrMeetingAreRefused() throws {
        let plan = try Sample.plan(try seriesMap(), "s,m,r\n,1,1\n1,,2\n1,1,3\n")
        #expect(plan.refused.map { "\($0.line) \($0.column) \($0.code)" } == ["2 s required", "3 m required"])
        #expect(plan.rowCount == 1)
    }

    @Test func unreadableRowsAreRefusedWithTheirColumn() throws {
        let plan = try Sample.plan(try seriesMap(), "s,m,r\n1,1,\"2\"x\n1,1\n1,1,3\n")
        #expect(plan.refused.map { "\($0.line) \($0.column) \($0.code)" } == ["2 r broken-quote", "3  ragged-row"])
        #expect(plan.rowCount == 1)
    }

    @Test func rowsOfAMeetingMustAgreeOnItsTimes() throws {
        let map = try seriesMap(#","startsAt":"from","endsAt":"to","timeZone":"Asia/Seoul""#)
        let plan = try Sample.plan(
            map,
            """
            s,m,r,from,to
            1,1,1,2026-11-21T09:00:00Z,2026-11-21T10:00:00Z
            1,1,1,2026-11-21T18:00:00+09:00,2026-11-21T10:00:00Z
            1,1,1,2026-11-21T09:30:00Z,2026-11-21T10:00:00Z
            1,1,1,21.11.2026,2026-11-21T10:00:00Z
            1,2,1,,
            1,3,1,2026-11-21T09:00:00Z,
            1,4,1,2026-11-21T11:00:00Z,2026-11-21T10:00:00Z
            """)
        let meetings = plan.series[0].meetings
        #expect(meetings[0].startsAt == RFC3339.parse("2026-11-21T09:00:00Z"))
        #expect(meetings[0].endsAt == RFC3339.parse("2026-11-21T10:00:00Z"))
        #expect(meetings[1].startsAt == nil && meetings[1].rows.count == 1)
        #expect(meetings[0].timeZone == "Asia/Seoul")
        #expect(
            plan.refused.map { "\($0.line) \($0.column) \($0.code)" } == [
                "4 from other-time", "5 from invalid-time", "7 to required", "8 to ends-before-start",
            ])
        #expect(plan.rowCount == 3)
    }

    @Test func submissionTimesAreReadFromTheirColumn() throws {
        let map = try Sample.map(rating, more: #""submittedAt":"at","#)
        let plan = try Sample.plan(map, "r,at\n1,2026-01-01T00:00:00Z\n2,\n3,never\n")
        #expect(plan.allRows.map(\.submittedAt) == [RFC3339.parse("2026-01-01T00:00:00Z"), nil])
        #expect(plan.refused.map { "\($0.line) \($0.column) \($0.code)" } == ["4 at invalid-time"])
    }

    @Test func tooLongOrBlankTitleStopsTheImport() throws {
        let map = try seriesMap()
        for value in [String(repeating: "x", count: 300), "\u{0}"] {
            let failure = #expect(throws: ImportFailure.self) { try Sample.plan(map, "s,m,r\n\(value),1,1\n") }
            guard case .map(let faults)? = failure else {
                Issue.record("The failure has no faults of the map.")
                return
            }
            #expect(faults.map(\.code) == ["invalid-title"])
        }
    }

    @Test func titlesAreMeasuredInUserPerceivedCharacters() throws {
        let title = String(repeating: "e\u{301}", count: 200)
        let plan = try Sample.plan(try seriesMap(), "s,m,r\n\(title),1,1\n")
        #expect(plan.refused.isEmpty && plan.series.count == 1)
    }

    @Test func validationFaultIsReportedAtItsColumn() throws {
        let plan = try Sample.plan(try Sample.map(text, rating), "t,r\nx,9\n")
        let form = PreparedForm(questions: plan.questions)
        let problem = #expect(throws: Problem.self) { try form.answers(from: plan.allRows[0].answers) }
        let fault = try #require(problem?.faults.first)
        let refusal = plan.refusal(of: plan.series[0].meetings[0].rows[0], for: fault)
        #expect(refusal == RefusedRow(line: 2, column: "r", code: fault.code, reason: fault.detail))
    }
}
