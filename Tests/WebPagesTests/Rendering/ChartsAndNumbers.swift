import Contract
import Foundation
import HTTPAPI
import Testing

@testable import WebPages

/// The parts of pages that show results: the chart library, stars, queries, and actions on texts.
@Suite struct ChartsAndNumbers {
    @Test func chartLibraryIsServedLikeOtherFilesAndIsOptional() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("static-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("body {}".utf8).write(to: folder.appendingPathComponent("own.css"))
        let library = folder.appendingPathComponent("elsewhere.min")
        #expect(try StaticFiles(in: folder, chartLibrary: library.path).chartLibrary == nil)
        try Data("let Chart = 1".utf8).write(to: library)
        let first = try StaticFiles(in: folder, chartLibrary: library.path)
        let address = try #require(first.chartLibrary)
        #expect(address.hasPrefix("/static/") && address.hasSuffix("/chart.js"))
        #expect(first.find(address)?.type.hasPrefix("text/javascript") == true)
        try Data("let Chart = 2".utf8).write(to: library)
        #expect(try StaticFiles(in: folder, chartLibrary: library.path).chartLibrary != address)
    }

    @Test func markIsServedAsAnSVGPicture() throws {
        let files = try StaticFiles(in: try PageResources.folder().appendingPathComponent("static"))
        let mark = try #require(files.find(files.address("mark.svg")))
        #expect(mark.type == "image/svg+xml")
    }

    @Test func numberOfStarsEqualsTheScale() throws {
        let stars = try #require(Stars(mean: 3.5, outOf: 5))
        #expect(stars.width == 120 && stars.filledWidth == "84.0" && stars.positions.count == 5)
        #expect(Stars(mean: 0, outOf: 0) == nil && Stars(mean: 3, outOf: 11) == nil)
    }

    @Test func queriesAreEncodedAndPreserved() {
        let query = PathQuery([("q", "a&b=c #+%"), ("where", "pace:4"), ("t", "회")])
        #expect(query.text == "?q=a%26b%3Dc%20%23%2B%25&where=pace%3A4&t=%ED%9A%8C")
        #expect(PathQuery().text == "" && PathQuery().with("cursor", nil).text == "")
        #expect(PathQuery().with("cursor", "x").text == "?cursor=x")
        let fields = FormFields("where=a:1&where=b:2&done=x&lang=ko")
        #expect(fields.queryString(excluding: ["done", "lang"]) == "?where=a%3A1&where=b%3A2")
        #expect(FormFields(String(query.text.dropFirst())).queryString() == query.text)
    }

    @Test func partialSearchLinksToItsContinuation() throws {
        let words = try PageTexts(.english, from: PageResources.folder())
        let unfinished = TextsPage.List(
            HostReader.TextList(groups: [], next: "a+b", isPartial: true), path: "/m",
            .init(search: "회 의", isHidden: true, isGrouped: true), cursor: "a", words, time: { _ in "" })
        #expect(unfinished.isPartial && !unfinished.isEmpty)
        #expect(unfinished.next == "/m?hidden=true&q=%ED%9A%8C%20%EC%9D%98&cursor=a%2Bb")
        #expect(unfinished.start == "/m?hidden=true&q=%ED%9A%8C%20%EC%9D%98" && unfinished.texts.isEmpty)
        let empty = TextsPage.List(
            HostReader.TextList(groups: []), path: "/m", .init(search: nil, isHidden: false, isGrouped: true),
            cursor: "a", words, time: { _ in "" })
        #expect(empty.isEmpty && empty.next == nil && empty.start == "/m" && empty.other == nil)
    }

    @Test(arguments: ["", "hide", "hide:better", "publish", "hide:better:1:2", "release:a:b", "drop:better:1", ":::"])
    func invalidActionsOnTextsAreNil(action: String) {
        #expect(TextAction(action) == nil)
    }
}
