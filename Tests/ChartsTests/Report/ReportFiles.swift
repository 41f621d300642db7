import Foundation
import SVGConversion
import Testing

@testable import Charts
@testable import TestSupport

/// Reports as PDF files, read by poppler's programs.
@Suite struct ReportFiles {
    private func file(_ texts: [String]) async throws -> (path: String, folder: TemporaryFolder) {
        var report = PrintedReport(title: "Retro 회고", submissions: "9 answers") { "Page \($0) of \($1)" }
        var section = PrintedReport.Section(title: "What should we change?")
        section.texts = texts.map { .init($0) }
        report.sections = [section]
        let folder = try TemporaryFolder()
        let bytes = try await SVGConverter(environment: ProcessInfo.processInfo.environment).pdf(pages: report.pages())
        try Data(bytes).write(to: URL(fileURLWithPath: folder / "report.pdf"))
        return (folder / "report.pdf", folder)
    }

    private func output(_ command: [String], _ folder: TemporaryFolder) async throws -> String {
        let (status, output) = try await Command.outcome(of: command, log: folder / "log")
        #expect(status == 0, "\(command): \(output)")
        return output
    }

    @Test func fileHasA4PagesWithEmbeddedFontsAndReadableTexts() async throws {
        let texts = (0..<60).map { "Text \($0): more demos, 더 많은 데모" }
        let (path, folder) = try await file(texts)
        let facts = try await output(["pdfinfo", path], folder)
        #expect(facts.contains(/Pages:\s+2/) && facts.contains("(A4)"), "\(facts)")
        let fonts = try await output(["pdffonts", path], folder).split(separator: "\n").dropFirst(2)
        #expect(!fonts.isEmpty)
        // The columns at the end are "emb", "sub", "uni" and the id.
        for font in fonts { #expect(font.contains(#/yes (yes|no) (yes|no) +\d+ +\d+$/#), "\(font)") }
        let text = try await output(["pdftotext", "-layout", path, "-"], folder)
        for line in texts + ["Retro 회고", "What should we change?", "Page 2 of 2"] { #expect(text.contains(line)) }
    }

    @Test func twoHundredLongTextsInManyScriptsAreConverted() async throws {
        let sample = "Demos 🎉 데모 演示 العرض كان جيدا <&> "
        let (path, folder) = try await file(
            (0..<200).map { "\($0) " + String(repeating: sample, count: 4_000 / sample.count) })
        let facts = try await output(["pdfinfo", path], folder)
        #expect(facts.contains(/Pages:\s+\d{2,3}\n/), "\(facts)")
    }

    @Test func missingProgramIsReportedBeforeAnyWork() {
        #expect(throws: SVGConversionError.notInstalled) { try SVGConverter(environment: ["PATH": "/nowhere"]) }
    }

    @Test(arguments: [("echo 'no font' >&2; exit 3", "no font"), ("echo '%PDF-1.5'", "an incomplete document")])
    func failedConversionHasAReason(script: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        chmod(try folder.write("#!/bin/sh\n\(script)\n", to: "rsvg-convert"), 0o755)
        let converter = try SVGConverter(environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        let error = await #expect(throws: SVGConversionError.self) { try await converter.pdf(pages: ["<svg/>"]) }
        guard case .failed(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(reason))
    }

    @Test func pagesAreReadableByTheirOwnerOnlyAndRemoved() async throws {
        let folder = try TemporaryFolder()
        let script =
            "#!/bin/sh\nshift 2\ndirname \"$1\" > '\(folder / "where")'\nstat -c %a \"$(dirname \"$1\")\" >> '\(folder / "where")'\nexit 3\n"
        chmod(try folder.write(script, to: "rsvg-convert"), 0o755)
        let converter = try SVGConverter(environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        await #expect(throws: SVGConversionError.self) { try await converter.pdf(pages: ["<svg/>"]) }
        let lines = folder.read("where").split(separator: "\n").map(String.init)
        #expect(lines.last == "700")
        #expect(!FileManager.default.fileExists(atPath: try #require(lines.first)))
    }

    @Test func cancelledConversionEndsTheProgram() async throws {
        let folder = try TemporaryFolder()
        chmod(try folder.write("#!/bin/sh\necho $$ > '\(folder / "pid")'\nexec sleep 60\n", to: "rsvg-convert"), 0o755)
        let converter = try SVGConverter(environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        let task = Task { try await converter.pdf(pages: ["<svg/>"]) }
        while folder.read("pid").isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        await #expect(throws: SVGConversionError.self) { try await task.value }
        let pid = try #require(pid_t(folder.read("pid").filter(\.isNumber)))
        while kill(pid, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
}
