import Spreadsheets
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct NativeCharts {
    private func chart(
        _ title: String, _ direction: BarChart.Direction = .bars, sheet: String = "summary", row: Int = 2,
        labels: [String] = ["a", "b"]
    ) -> BarChart {
        BarChart(
            title: title, direction: direction, sheet: sheet, labels: 0, counts: 1, row: row,
            bars: labels.enumerated().map { BarChart.Bar(label: $1, count: $0) })
    }

    private func book(
        _ charts: [BarChart], sheet: String = "summary", limits: SheetLimits = SheetLimits()
    ) async -> [UInt8] {
        await Workbook.bytes(limits: limits) { book in
            book.begin(sheet, Workbook.columns("label", "count"))
            for chart in charts {
                for bar in chart.bars { book.row([.text(bar.label), .integer(bar.count)]) }
                book.add(chart)
            }
        }
    }

    @Test func chartsReferToTheirCells() async throws {
        let title = "What \"helped\" <most> & why?\u{1}\n"
        let bytes = await book([
            chart("Pace", .columns, labels: ["1", "2", "3"]), chart(title, row: 5, labels: ["=1", "a\u{2}", "한"]),
        ])
        let result = try await PythonReader.read(
            bytes,
            as: """
                import openpyxl
                book = openpyxl.load_workbook(path)
                result = []
                for chart in book["Charts"]._charts:
                    series = chart.series[0]
                    end = (chart.anchor._from.col, chart.anchor._from.row, chart.anchor.to.col, chart.anchor.to.row)
                    result.append([chart.barDir, chart.title.tx.rich.p[0].r[0].t, series.cat.strRef.f,
                        [p.v for p in series.cat.strRef.strCache.pt], series.val.numRef.f,
                        [p.v for p in series.val.numRef.numCache.pt], list(end)])
                """)
        let plain = #"What \"helped\" <most> & why?  "#
        #expect(
            result.text == """
                [["col","Pace","'summary'!$A$2:$A$4",["1","2","3"],"'summary'!$B$2:$B$4",[0.0,1.0,2.0],[0,0,8,15]],\
                ["bar","\(plain)","'summary'!$A$5:$A$7",["=1","a_x0002_","한"],"'summary'!$B$5:$B$7",[0.0,1.0,2.0],\
                [9,0,17,15]]]
                """)
    }

    /// Numbers below 0 are stacked to the left, in the order of the parts.
    @Test func stackedBarsReferToTheirTable() async throws {
        let parts = [("Neither", true), ("No", false), ("Neither", false), ("Yes", false)].map { label, isRepeated in
            SheetGrid.Part(label: label, color: "4A5560", isRepeated: isRepeated)
        }
        func bar(_ label: String) -> SheetGrid.Bar { .init(label: label, values: [-0.25, -0.5, 0.25, 0]) }
        let bytes = await Workbook.bytes { book in
            book.begin("summary", Workbook.columns("label", "count"))
            book.row([.text("a"), .integer(1)])
            for title in ["First", "Second"] {
                book.add(SheetGrid(title: title, parts: parts, bars: [bar("It was =clear"), bar("And <short>")]))
            }
        }
        #expect(try await Workbook.sheets(bytes).map(\.name) == ["summary", "Grids", "Charts"])
        let result = try await PythonReader.read(
            bytes,
            as: """
                import openpyxl
                book = openpyxl.load_workbook(path)
                result = []
                for chart in book["Charts"]._charts:
                    result.append([chart.barDir, chart.grouping, chart.overlap, chart.title.tx.rich.p[0].r[0].t,
                        [entry.idx for entry in chart.legend.legendEntry]])
                    for series in chart.series:
                        result.append([series.tx.strRef.f, series.cat.strRef.f, series.val.numRef.f,
                            [p.v for p in series.val.numRef.numCache.pt]])
                table = book["Grids"]
                result.append([[cell.value for cell in row[:4]] for row in table["A2:D4"]])
                """)
        let text = result.text
        #expect(
            text.hasPrefix(
                #"[["bar","stacked",100.0,"First",[0]],["'Grids'!$C$2:$C$2","'Grids'!$B$3:$B$4","'Grids'!$C$3:$C$4",[-0.25,-0.25]]"#
            ))
        #expect(text.contains(#"["'Grids'!$C$5:$C$5","'Grids'!$B$6:$B$7","'Grids'!$C$6:$C$7",[-0.25,-0.25]]"#))
        #expect(
            text.hasSuffix(
                #"[["First",null,"Neither","No"],["First","It was =clear",-0.25,-0.5],["First","And <short>",-0.25,-0.5]]]"#
            ))
    }

    @Test func sheetNamesAreQuotedInFormulas() async throws {
        let bytes = await book([chart("Pace", sheet: "it's & <all>")], sheet: "it's & <all>")
        #expect(try await Workbook.sheets(bytes).map(\.name) == ["it's & <all>", "Charts"])
        let parts = try await Workbook.parts(bytes)
        #expect(parts["xl/charts/chart1.xml"]?.contains("<c:f>'it''s &amp; &lt;all&gt;'!$A$2:$A$3</c:f>") == true)
        #expect(parts["xl/workbook.xml"]?.contains(">'it''s &amp; &lt;all&gt;'!$A$1:$B$3<") == true)
    }

    @Test(arguments: [true, false]) func workbookOpensOnTheChartsOnRequest(_ isRequested: Bool) async throws {
        func parts(_ charts: [BarChart]) async throws -> [String: String] {
            let book = WorkbookWriter(opensOnCharts: isRequested)
            book.begin("summary", [SheetColumn("label", width: 9), SheetColumn("count", width: 9)])
            for chart in charts { book.add(chart) }
            book.finish()
            return try await Workbook.parts(await WorkbookArchive().write(book.drain()))
        }
        let withChart = try await parts([chart("Pace")])
        #expect(withChart["xl/workbook.xml"]?.contains(#"activeTab="1""#) == isRequested)
        #expect(
            withChart["xl/worksheets/sheet1.xml"]?.contains("tabSelected") == !isRequested,
            "two selected sheets would be edited together")
        #expect(withChart["xl/worksheets/sheet2.xml"]?.contains("tabSelected") == isRequested)
        #expect(try await parts([])["xl/workbook.xml"]?.contains("activeTab") == false)
    }

    @Test func chartsOfManyBarsAreTallerAndDoNotOverlap() async throws {
        let many = (0..<50).map { "option \($0)" }
        let charts = (0..<7).map { chart("\($0)", labels: $0 % 3 == 1 ? many : ["a"]) }
        let result = try await PythonReader.read(
            await book(charts),
            as: """
                import openpyxl
                result = [[c.anchor._from.col, c.anchor._from.row, c.anchor.to.col, c.anchor.to.row]
                          for c in openpyxl.load_workbook(path)["Charts"]._charts]
                """)
        let boxes = try #require(result.array).map { try #require($0.array).map { try #require($0.int) } }
        #expect(boxes.count == 7)
        #expect(boxes[1][3] - boxes[1][1] == 55)
        // Two pages: three small charts beside a tall one, then a tall one beside two small ones.
        #expect(boxes.map { $0[3] }.max() == 56 + 55, "no space is wasted")
        for (index, one) in boxes.enumerated() {
            for other in boxes[..<index] {
                let isApart = one[0] >= other[2] || other[0] >= one[2] || one[1] >= other[3] || other[1] >= one[3]
                #expect(isApart)
            }
        }
    }

    /// Landscape on A4 and on Letter: 10 inches wide and 7.27 high between the margins.
    @Test(arguments: [[2], [2, 2, 5], [50], [1, 50, 1, 1, 50, 1, 1], [95, 2], (0..<40).map { $0 * 7 % 60 + 1 }])
    func pageBreaksDoNotCutCharts(_ bars: [Int]) async throws {
        let charts = bars.map { chart("\($0)", labels: (0..<$0).map { "option \($0)" }) }
        let result = try await PythonReader.read(
            await book(charts),
            as: """
                import openpyxl
                sheet = openpyxl.load_workbook(path)["Charts"]
                assert not sheet.sheet_properties.pageSetUpPr or not sheet.sheet_properties.pageSetUpPr.fitToPage
                assert sheet.page_setup.orientation == "landscape"
                width = {round(d.width, 2) for d in sheet.column_dimensions.values()}
                assert width == {9.14}, width
                result = [[[c.anchor._from.row, c.anchor.to.row, c.anchor.to.col] for c in sheet._charts],
                          [b.id for b in sheet.row_breaks.brk], sheet.page_setup.scale]
                """)
        let parts = try #require(result.array)
        let boxes = try #require(parts[0].array).map { try #require($0.array).map { try #require($0.int) } }
        let breaks = try #require(parts[1].array).map { try #require($0.int) }
        let scale = Double(try #require(parts[2].int)) / 100
        #expect(boxes.count == bars.count && scale >= 0.1 && scale <= 0.74)
        let pages = zip([0] + breaks, breaks + [boxes.map { $0[1] }.max() ?? 0])
        for (first, last) in pages {
            let shown = boxes.filter { $0[0] >= first && $0[0] < last }
            #expect(!shown.isEmpty, "no page is empty")
            for box in shown {
                #expect(box[1] <= last)
                #expect(Double(box[1] - first) * 15 * scale <= (210 / 25.4 - 1) * 72, "\(box) from \(first)")
                #expect(Double(box[2]) * 64 * scale <= 10 * 96)
            }
        }
    }

    @Test func chartsOverTheLimitAreNamedInTheNotes() async throws {
        var limits = SheetLimits()
        limits.charts = 2
        let bytes = await book((0..<4).map { chart("Question \($0)", row: 2 + 2 * $0) }, limits: limits)
        let sheets = try await Workbook.sheets(bytes)
        #expect(sheets.map(\.name) == ["summary", "Charts", "Notes"])
        #expect(
            sheets[2].rows.dropFirst().map { $0.compactMap(\.string) } == [
                ["summary", "B6", "No chart, because there are 2 already: Question 2"],
                ["summary", "B8", "No chart, because there are 2 already: Question 3"],
            ])
    }

    @Test func rowsOfAGroupAreOnOneSheet() async throws {
        var limits = SheetLimits()
        limits.rows = 6
        var positions: [String] = []
        let bytes = await Workbook.bytes(limits: limits) { book in
            book.begin("summary", Workbook.columns("label", "count"))
            for count in [3, 2, 1, 5, 9] {
                let position = book.position(forRows: count)
                positions.append("\(position.sheet)!\(position.row)")
                for number in 0..<count { book.row([.text("\(count)"), .integer(number)]) }
            }
        }
        #expect(positions == ["summary!2", "summary!5", "summary 2!2", "summary 3!2", "summary 3!7"])
        #expect(try await Workbook.sheets(bytes).map(\.rows.count) == [6, 2, 6, 6, 5])
    }
}
