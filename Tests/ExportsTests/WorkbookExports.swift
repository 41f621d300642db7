import Domain
import Exports
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// Reads XLSX exports with openpyxl and pandas.
@Suite(.timeLimit(.minutes(15))) struct WorkbookExports {
    static let questions = #"""
        [{"key": "pace", "kind": "rating", "title": "How was the \"pace\"?", "min": 0, "max": 10, "metric": "nps"},
         {"key": "topics", "kind": "choice", "title": "What helped?", "multiple": true, "other": true,
          "options": [{"id": "demo", "label": "=The demo"}, {"id": "talk", "label": "Talk & <more>"}]},
         {"key": "mood", "kind": "choice", "title": "What helped?", "other": true,
          "options": [{"id": "good", "label": "Good 😀"}]},
         {"key": "better", "kind": "text", "title": "=1+1", "maxLength": 10000}]
        """#

    static let answers = [
        #"{"pace": 0, "topics": ["demo", {"other": "=1+1"}], "mood": {"other": "-5"}, "better": "two\nlines\r\nand \"quotes\""}"#,
        #"{"pace": 10, "topics": ["talk"], "mood": "good", "better": " עברית 👩‍👩‍👧 e\u0301\u0007_x000A_ "}"#,
        #"{"topics": ["demo", "talk"], "better": "-5"}"#, "{}",
    ]

    static func bytes(
        _ kind: ExportKind, _ scope: ExportScope, _ options: ExportOptions, of fixture: TestStore
    ) async throws -> (bytes: [UInt8], totals: Export.Totals) {
        let export = try await Export.prepare(
            kind, of: scope, includesAttendees: true, options: options, from: fixture.store)
        var bytes: [UInt8] = []
        let totals = try await export.write { bytes += $0 }
        return (bytes, totals)
    }

    /// A script that returns each row as pairs of heading and value, with numbers as numbers and times in RFC 3339.
    private static let rowsScript = """
        import datetime, openpyxl
        from openpyxl.utils.escape import unescape
        def plain(cell):
            value = cell.value
            if isinstance(value, datetime.datetime):
                day = cell.number_format == r"yyyy\\-mm\\-dd"
                return value.strftime("%Y-%m-%d" if day else "%Y-%m-%dT%H:%M:%SZ")
            return unescape(value) if isinstance(value, str) else value
        def table(path):
            names, *rows = list(openpyxl.load_workbook(path).worksheets[0].iter_rows())
            return [[[name.value, plain(cell)] for name, cell in zip(names, row)] for row in rows]
        result = [table(path) for path in paths]
        """

    private static func filledMeeting(_ fixture: TestStore) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(questions)
        for submission in answers { _ = try await fixture.submit(submission, to: meeting) }
        let second = try await fixture.openMeeting(#"[{"key": "mood", "kind": "rating", "title": "Mood", "max": 3}]"#)
        _ = try await fixture.submit(#"{"mood": 3}"#, to: second)
        let start = try #require(RFC3339.parse("2026-03-29T00:30:00Z"))
        let draft = MeetingDraft(
            title: "dated", startsAt: start, endsAt: start.addingTimeInterval(3600), timeZone: "Asia/Seoul")
        _ = try await fixture.store.meetings.create(draft, by: fixture.host, once: nil) { _ in [] }
        for (name, status) in [("=Ann", AttendanceStatus.late), ("-5", .expected)] {
            _ = try await fixture.store.attendees.add(
                name: try PersonName(name, at: "/name"), email: EmailAddress("\(status.rawValue)@example.org"),
                status: status, to: meeting, by: fixture.host, once: nil
            ) { _ in [] }
        }
        return meeting
    }

    /// The same tables as NDJSON and as XLSX.
    private static func pairs(
        _ kinds: [ExportKind], _ extents: [ExportScope.Extent], of fixture: TestStore
    ) async throws -> [(lines: [UInt8], sheet: [UInt8])] {
        var pairs: [(lines: [UInt8], sheet: [UInt8])] = []
        for kind in kinds {
            for extent in extents {
                if kind == .submissions, case .all = extent { continue }
                let lines = try await bytes(kind, ExportScope(extent), ExportOptions(format: .ndjson), of: fixture)
                let sheet = try await bytes(kind, ExportScope(extent), ExportOptions(format: .xlsx), of: fixture)
                #expect(sheet.totals.rows == lines.totals.rows)
                #expect(sheet.totals.bytes == sheet.bytes.count)
                pairs.append((lines.bytes, sheet.bytes))
            }
        }
        return pairs
    }

    @Test func cellsEqualThoseOfNDJSON() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let extents: [ExportScope.Extent] = [.meeting(meeting.id), .series(meeting.seriesID), .all]
            let pairs = try await Self.pairs(ExportKind.allCases, extents, of: fixture)
            let tables = try #require(try await PythonReader.read(pairs.map(\.sheet), as: Self.rowsScript).array)
            #expect(tables.count == ExportKind.allCases.count * 3 - 1)
            var cells = 0
            for (table, pair) in zip(tables, pairs) {
                let rows = try #require(table.array)
                let objects = try pair.lines.split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)) }
                #expect(rows.count == objects.count)
                for (row, object) in zip(rows, objects) {
                    let (row, members) = (try #require(row.array), try #require(object.members))
                    #expect(row.count == members.count)
                    for (cell, member) in zip(row, members) {
                        let headingAndValue = try #require(cell.array)
                        #expect(headingAndValue[0].string == member.name)
                        if case .number = member.value {
                            #expect(headingAndValue[1].double == member.value.double, "\(member.name)")
                        } else {
                            #expect(headingAndValue[1].text == member.value.text, "\(member.name)")
                        }
                        cells += 1
                    }
                }
            }
            #expect(cells > 1_000)
        }
    }

    /// Enough rows that some are compressed while others are read.
    @Test func manyRowsAreCompleteAndInOrder() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions)
            let long = String(repeating: "long text ", count: 90)
            for number in 0..<600 {
                let answers = #"{"pace": \#(number % 11), "better": "\#(number) \#(long)"}"#
                _ = try await fixture.submit(answers, to: meeting)
            }
            let scope = ExportScope(.meeting(meeting.id))
            let file = try await Self.bytes(.submissions, scope, ExportOptions(format: .xlsx), of: fixture)
            #expect(file.totals.rows == 600 && file.totals.bytes == file.bytes.count)
            let lines = try await Self.bytes(.submissions, scope, ExportOptions(format: .ndjson), of: fixture).bytes
            let expected = try lines.split(separator: UInt8(ascii: "\n")).map { line in
                let row = try JSONValue.parse(Array(line))
                return JSONValue.array([row["id"] ?? .null, row["pace"] ?? .null, row["better"] ?? .null])
            }
            let read = try await PythonReader.read(
                file.bytes,
                as: """
                    import openpyxl
                    names, *rows = list(openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True))
                    columns = [names.index(name) for name in ("id", "pace", "better")]
                    result = [[row[column] for column in columns] for row in rows]
                    """)
            #expect(expected.count == 600 && read == .array(expected))
        }
    }

    @Test func pandasReadsTheSameNumbersFromXLSXAndNDJSON() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let pairs = try await Self.pairs(
                [.summary, .questions, .meetings], [.series(meeting.seriesID)], of: fixture)
            let texts = JSONValue.array(pairs.map { .string(String(decoding: $0.lines, as: UTF8.self)) }).text
            let result = try await PythonReader.read(
                pairs.map(\.sheet),
                as: """
                    import io, pandas
                    result = []
                    for text, path in zip(json.loads(r'''\(texts)'''), paths):
                        buffer = io.StringIO(text)
                        lines = pandas.read_json(buffer, lines=True, convert_dates=False, precise_float=True)
                        sheet = pandas.read_excel(path)
                        assert list(lines.columns) == list(sheet.columns)
                        numbers = [c for c in lines.select_dtypes("number").columns if lines[c].notna().any()]
                        pandas.testing.assert_frame_equal(
                            lines[numbers].astype("float64"), sheet[numbers].astype("float64"), rtol=0, atol=0)
                        result.append(len(numbers))
                    """)
            #expect(try #require(result.array).compactMap(\.int).allSatisfy { $0 >= 3 })
        }
    }

    @Test func headingsAreTitlesOnRequestAndOtherOptionsAreIgnored() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let scope = ExportScope(.meeting(meeting.id))
            let titled = try await Self.bytes(
                .submissions, scope, ExportOptions(format: .xlsx, titles: true), of: fixture)
            let headings = try await PythonReader.read(
                titled.bytes,
                as: "import openpyxl\nresult = [c.value for c in openpyxl.load_workbook(path)['submissions'][1]]")
            #expect(
                headings.array?.compactMap(\.string) == [
                    "ID", "Submitted at", "Form version", "How was the \"pace\"?", "What helped?: =The demo",
                    "What helped?: Talk & <more>", "What helped?: Other", "What helped?: Other, in words",
                    "What helped?", "What helped?: Other, in words", "=1+1",
                ])
            let plain = try await Self.bytes(.submissions, scope, ExportOptions(format: .xlsx), of: fixture)
            let others = ExportOptions(format: .xlsx, bom: true, delimiter: UInt8(ascii: ";"), raw: true)
            #expect(try await Self.bytes(.submissions, scope, others, of: fixture).bytes == plain.bytes)
        }
    }

    @Test func emptyExportHasOnlyHeadings() async throws {
        try await TestStore.run { fixture in
            let scope = ExportScope(.all, from: .distantPast, to: .distantFuture)
            let kinds = ExportKind.allCases.filter { $0 != .submissions }
            var sheets: [[UInt8]] = []
            for kind in kinds {
                let sheet = try await Self.bytes(kind, scope, ExportOptions(format: .xlsx), of: fixture)
                #expect(sheet.totals.rows == 0)
                sheets.append(sheet.bytes)
            }
            let result = try await PythonReader.read(
                sheets,
                as: """
                    import openpyxl
                    books = [openpyxl.load_workbook(path) for path in paths]
                    result = [[s.title, s.max_row, s.freeze_panes] for book in books for s in book.worksheets]
                    """)
            #expect(result.text == "[\(kinds.map { #"["\#($0.rawValue)",1,"A2"]"# }.joined(separator: ","))]")
        }
    }

    @Test func summaryHasAChartForEachQuestionWithBuckets() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            for (scope, prefixes) in [
                (ExportScope(.meeting(meeting.id)), [""]), (ExportScope(.all), ["\(meeting.title) #1: ", ""]),
            ] {
                let sheet = try await Self.bytes(.summary, scope, ExportOptions(format: .xlsx), of: fixture)
                let result = try await PythonReader.read(
                    sheet.bytes,
                    as: """
                        import openpyxl
                        book = openpyxl.load_workbook(path)
                        def cells(range):
                            sheet, area = range.replace("'", "").replace("$", "").split("!")
                            return [row[0].value for row in book[sheet][area]]
                        result = []
                        for chart in book["Charts"]._charts:
                            series = chart.series[0]
                            labels, counts = cells(series.cat.strRef.f), cells(series.val.numRef.f)
                            assert labels == [p.v for p in series.cat.strRef.strCache.pt]
                            assert counts == [int(p.v) for p in series.val.numRef.numCache.pt]
                            result.append([chart.barDir, chart.title.tx.rich.p[0].r[0].t, labels, counts])
                        """)
                let charts = try #require(result.array).map { try #require($0.array) }
                let prefix = prefixes[0]
                let expected = [
                    #"["col","\#(prefix)How was the \"pace\"?",["0","1","2","3","4","5","6","7","8","9","10"],[1,0,0,0,0,0,0,0,0,0,1]]"#,
                    #"["bar","\#(prefix)What helped?",["=The demo","Talk & <more>","Other"],[2,2,1]]"#,
                    #"["bar","\#(prefix)What helped?",["Good 😀","Other"],[1,1]]"#,
                ]
                let texts = charts.map { JSONValue.array($0).text }
                #expect(expected.allSatisfy(texts.contains), "\(texts)")
                #expect(charts.count == 3 + prefixes.count - 1)
            }
        }
    }

    @Test func withheldResultHasNoChart() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await fixture.edit(meeting, settings: #""anonymous": true"#, questions: TestStore.questions)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let sheet = try await Self.bytes(
                .summary, ExportScope(.meeting(meeting.id)), ExportOptions(format: .xlsx), of: fixture)
            let result = try await PythonReader.read(
                sheet.bytes, as: "import openpyxl\nresult = openpyxl.load_workbook(path).sheetnames")
            #expect(result.text == #"["summary"]"#)
        }
    }

    @Test func longTextIsTruncatedInTheSheetAndCompleteInNDJSON() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions)
            let text = String(repeating: "👩‍👩‍👧", count: 10_000)
            _ = try await fixture.submit(#"{"better": "\#(text)"}"#, to: meeting)
            let scope = ExportScope(.meeting(meeting.id))
            let lines = try await Self.bytes(.answers, scope, ExportOptions(format: .ndjson), of: fixture)
            #expect(try JSONValue.parse(lines.bytes.dropLast(1))["value"]?.string == text)
            let sheet = try await Self.bytes(.answers, scope, ExportOptions(format: .xlsx), of: fixture)
            let result = try await PythonReader.read(
                sheet.bytes,
                as: """
                    import openpyxl
                    book = openpyxl.load_workbook(path)
                    result = [len(book["answers"]["G2"].value.encode("utf-16-le")) // 2,
                              [cell.value for cell in book["Notes"][2]][:3]]
                    """)
            #expect(result.text == #"[32762,["answers","G2",80000]]"#)
        }
    }

    /// Rows are sent while others are still being read. A client that disconnects stops this work, and a later export
    /// is complete.
    @Test func disconnectedReaderEndsTheExport() async throws {
        struct Disconnected: Error {}
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            var random = SystemRandomNumberGenerator()
            for _ in 0..<600 {
                let text = String(
                    (0..<200).map { _ in Character(UnicodeScalar(UInt8.random(in: 0x61...0x7A, using: &random))) })
                _ = try await fixture.submit(#"{"better": "\#(text)"}"#, to: meeting)
            }
            let scope = ExportScope(.meeting(meeting.id))
            var chunks = 0
            let export = try await Export.prepare(
                .answers, of: scope, includesAttendees: true, options: ExportOptions(format: .xlsx), from: fixture.store
            )
            await #expect(throws: Disconnected.self) {
                _ = try await export.write { _ in
                    chunks += 1
                    throw Disconnected()
                }
            }
            #expect(chunks == 1)
            let complete = try await Export.prepare(
                .answers, of: scope, includesAttendees: true, options: ExportOptions(format: .xlsx), from: fixture.store
            )
            #expect(try await complete.write { _ in chunks += 1 }.rows == 600)
            #expect(chunks > 2, "the file is sent in several chunks")
        }
    }

    @Test func tableWithTooManyColumnsForASheetIsRefused() async throws {
        try await TestStore.run { fixture in
            // Four versions of a form, each with its own questions.
            let options = (0..<50).map { #"{"id": "o\#($0)", "label": "\#($0)"}"# }.joined(separator: ",")
            let versions = (0..<4).map { version in
                let questions = (0..<99).map {
                    #"{"key": "q\#(version)_\#($0)", "kind": "choice", "title": "Q", "multiple": true, "options": [\#(options)]}"#
                }
                return "[\(questions.joined(separator: ","))]"
            }
            let meeting = try await fixture.openMeeting(versions[0])
            let scope = ExportScope(.meeting(meeting.id))
            let prepared = try await Export.prepare(
                .submissions, of: scope, includesAttendees: true, options: ExportOptions(format: .xlsx),
                from: fixture.store)
            for version in versions.dropFirst() { try await fixture.edit(meeting, settings: "", questions: version) }
            let refusal = try await problem {
                _ = try await Self.bytes(.submissions, scope, ExportOptions(format: .xlsx), of: fixture)
            }
            #expect(refusal?.faults.map(\.code) == ["too-many-columns"])
            #expect(refusal?.faults.map(\.pointer) == ["?what"])
            #expect(try await Self.bytes(.submissions, scope, ExportOptions(), of: fixture).totals.rows == 0)
            _ = try await fixture.submit(#"{"q3_1": ["o1"]}"#, to: meeting)
            let late = try await problem { _ = try await prepared.write { _ in } }
            #expect(late?.faults.map(\.code) == ["too-many-columns"])
        }
    }
}
