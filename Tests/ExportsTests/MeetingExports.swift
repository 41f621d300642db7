import Domain
import TestSupport
import Testing

@testable import Exports

@Suite struct MeetingExports {
    private let firstCells = """
        "01ab0000-0000-8000-8000-000000000001","Retro",2,"01ab0000-0000-8000-8000-000000000002",\
        "Retro, ""the second""\","Ada",2026-11-21,2026-11-21T09:30:00Z,
        """

    private let results = [
        QuestionResult.make(
            question: Sample.pace, counts: ["#answered": 4, "#skipped": 1, "1": 1, "3": 3]),
        QuestionResult.make(
            question: Sample.topics, counts: ["#answered": 2, "#skipped": 3, "demo": 2, "talk": 1, "other": 1]),
        QuestionResult.make(question: Sample.better, counts: ["#answered": 1, "#skipped": 4]),
    ]

    @Test func columnsMatchTheContract() {
        let first13 =
            "series_id,series,round,meeting_id,meeting,host,date,starts_at,time_zone,position,question,kind,title"
        #expect(
            SummaryTable.columns.map(\.name).joined(separator: ",")
                == first13 + ",bucket_position,option_id,label,value,count,share,answered,skipped")
        #expect(
            QuestionsTable.columns.map(\.name).joined(separator: ",")
                == first13 + ",answered,skipped,mean,median,standard_deviation,low,high,nps")
        #expect(
            MeetingsTable.columns.map(\.name).joined(separator: ",")
                == "series_id,series,round,meeting_id,meeting,host,date,starts_at,ends_at,time_zone,headcount,attended,"
                + "late,absent,submissions,response_rate")
    }

    @Test func summaryHasARowForEachBucketAndOneForAText() {
        let text = Sample.text(SummaryTable.columns, SummaryTable.rows(Sample.meeting, results))
        let rows = text.split(separator: "\r\n").dropFirst().map { String($0.dropFirst(firstCells.count)) }
        let pace = "\"Asia/Seoul\",1,\"pace\",\"rating\",\"How was the pace?\","
        let topics = "\"Asia/Seoul\",2,\"topics\",\"choice\",\"What helped?\","
        #expect(text.split(separator: "\r\n").dropFirst().allSatisfy { $0.hasPrefix(firstCells) })
        #expect(
            rows == [
                pace + "1,\"1\",\"1\",1,1,0.25,4,1", pace + "2,\"2\",\"2\",2,0,0,4,1",
                pace + "3,\"3\",\"3\",3,3,0.75,4,1",
                topics + "1,\"demo\",\"The demo\",,2,1,2,3", topics + "2,\"talk\",\"'=Talk\",,1,0.5,2,3",
                topics + "3,\"other\",\"Other\",,1,0.5,2,3",
                "\"Asia/Seoul\",3,\"better\",\"text\",\"What should change?\",,,,,,,1,4",
            ])
    }

    /// For the ratings 2 and 6 on a scale of 1 to 7, Student's interval goes from −21.4 to 29.4.
    @Test(arguments: [
        (1, 7, [2, 6]), (1, 5, [4, 5, 5]), (0, 10, [0, 10]), (1, 5, [3, 3]), (1, 5, [2, 3, 3, 4, 3, 2]),
    ])
    func intervalOfAMeanStaysOnTheScale(_ low: Int, _ high: Int, _ ratings: [Int]) throws {
        let question = Question(key: "pace", title: "Pace?", kind: .rating(.init(min: low, max: high)))
        var counts = ["#answered": ratings.count]
        for value in ratings { counts["\(value)", default: 0] += 1 }
        let result = QuestionResult.make(question: question, counts: counts)
        let interval = try #require(result.summary?.confidence95)
        let cells = QuestionsTable.rows(Sample.meeting, [result])[0]
        let bounds: [Cell] = [.real(max(Double(low), interval.low)), .real(min(Double(high), interval.high))]
        #expect(Array(cells[18...19]) == bounds)
        #expect(QuestionsTable.columns[18...19].map(\.name) == ["low", "high"])
    }

    /// For random distributions, the interval is on the scale and contains the mean. Each bound of Student's interval
    /// that is on the scale is kept.
    @Test func intervalOfAnyMeanIsOnTheScaleAndContainsTheMean() throws {
        var numbers = SeededNumbers(seed: 17)
        for _ in 0..<500 {
            let low = Int.random(in: 0...1, using: &numbers)
            let high = low + Int.random(in: 1...9, using: &numbers)
            let question = Question(key: "pace", title: "Pace?", kind: .rating(.init(min: low, max: high)))
            var counts: [String: Int] = [:]
            for value in low...high { counts["\(value)"] = Int.random(in: 0...3, using: &numbers) }
            counts["#answered"] = counts.values.reduce(0, +)
            let result = QuestionResult.make(question: question, counts: counts)
            let cells = QuestionsTable.rows(Sample.meeting, [result])[0]
            guard let interval = result.summary?.confidence95, let mean = result.summary?.mean else {
                #expect(Array(cells[18...19]) == [.empty, .empty])
                continue
            }
            guard case .real(let lower) = cells[18], case .real(let upper) = cells[19] else {
                Issue.record("The mean has no interval.")
                continue
            }
            #expect(lower >= Double(low) && upper <= Double(high) && lower <= mean && mean <= upper)
            #expect(lower == interval.low || lower == Double(low) && interval.low < lower)
            #expect(upper == interval.high || upper == Double(high) && interval.high > upper)
        }
    }

    @Test func sharesOfNobodyAreEmpty() {
        let rows = SummaryTable.rows(Sample.meeting, [QuestionResult.make(question: Sample.mood, counts: [:])])
        #expect(
            rows.map { Array($0.suffix(4)) }
                == Array(repeating: [.integer(0), .empty, .integer(0), .integer(0)], count: 2))
    }

    @Test func withheldQuestionHasOneRowWithoutNumbers() {
        let shown = QuestionResult.make(question: Sample.pace, counts: ["#answered": 4, "3": 4])
        for question in [Sample.pace, Sample.topics, Sample.better] {
            let results = [QuestionResult.withheld(question: question)]
            for rows in [SummaryTable.rows(Sample.meeting, results), QuestionsTable.rows(Sample.meeting, results)] {
                #expect(rows.count == 1)
                // 0 would mean that nobody answered.
                #expect(rows.first?[13...].allSatisfy { $0 == .empty } == true, "\(question.key)")
            }
        }
        #expect(SummaryTable.rows(Sample.meeting, [shown.emptied]).first?[13...].allSatisfy { $0 == .empty } == true)
        let none = QuestionResult.make(question: Sample.better, counts: [:])
        #expect(SummaryTable.rows(Sample.meeting, [none]).first?.suffix(2) == [.integer(0), .integer(0)])
    }

    @Test func questionsHaveTheirStatistics() throws {
        let rows = QuestionsTable.rows(Sample.meeting, results)
        let pace = try #require(rows.first).suffix(8)
        #expect(pace.prefix(5) == [.integer(4), .integer(1), .real(2.5), .real(3), .real(1)])
        // 2.5 ± 1/√4 · t(0.975, 3), where t is 3.182446305284263, on a scale of 1 to 3.
        let interval = try #require(results.first?.summary?.confidence95)
        #expect(abs(interval.low - 0.9087768473578684) < 1e-9)
        #expect(abs(interval.high - 4.091223152642132) < 1e-9)
        guard case .real(let low)? = pace.dropFirst(5).first, case .real(let high)? = pace.dropFirst(6).first else {
            Issue.record("The mean has no bounds.")
            return
        }
        #expect(low == 1 && high == 3)
        #expect(pace.last == .empty)
        #expect(rows[1].suffix(6).allSatisfy { $0 == .empty })
    }

    @Test func netPromoterScoreHasAColumn() {
        let question = Question(key: "nps", title: "?", kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        let result = QuestionResult.make(question: question, counts: ["#answered": 4, "10": 3, "0": 1])
        #expect(QuestionsTable.rows(Sample.meeting, [result]).first?.last == .real(50))
    }

    @Test func meetingHasItsCounts() {
        let text = Sample.text(MeetingsTable.columns, [MeetingsTable.row(Sample.meeting)])
        #expect(text.hasSuffix("\r\n" + firstCells + ",\"Asia/Seoul\",10,8,1,2,4,0.4\r\n"))
    }

    @Test func undatedMeetingHasNoTimes() {
        var meeting = Sample.meeting
        (meeting.localDate, meeting.startsAt, meeting.headcount, meeting.responseRate) = (nil, nil, nil, nil)
        let text = Sample.text(MeetingsTable.columns, [MeetingsTable.row(meeting)])
        #expect(text.hasSuffix(",\"Ada\",,,,\"Asia/Seoul\",,8,1,2,4,\r\n"))
    }
}
