import ArgumentParser
import Domain
import Exports
import Foundation
import SVGConversion
import Store
import StrictJSON

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write results or answers as a table, or results as pictures or a report.",
        discussion: """
            WHAT is summary (a row per question and answer), questions (mean, median, …), meetings, submissions (a row \
            per participant; one meeting or one series), answers (a row per answer), attendance (a row per person on a \
            meeting's list), charts or report. Tables have the same bytes as those of the API.

            With charts, a picture of each rating and choice is written to the folder that --output names: svg, or png \
            if rsvg-convert is installed (package librsvg2-bin).

            With report, the results of one meeting are written as a PDF file, as they are printed from its page. This \
            requires rsvg-convert.

            In CSV, a text that a spreadsheet would run as a formula gets a leading '; --raw writes it as it was sent. \
            XLSX contains numbers and times as such, texts as they were sent, and charts next to the summary. A file \
            named by --output is replaced completely, or not at all.

            EXAMPLES
              afterword export summary --all > summary.csv
              afterword export summary --all --period last-week \\
                --time-zone Europe/Zurich --output summary.csv
              afterword export submissions --series 0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11 \\
                --bom --delimiter ';'
              afterword export summary --all --format xlsx --titles --output summary.xlsx
              afterword export answers --all --from 2026-01-01 --to 2027-01-01 \\
                --format ndjson | jq .value
              afterword export charts --series 0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11 \\
                --format png --output pictures
              afterword export report --meeting 0190f3c2-7b1e-7c4d-9a55-2f6d1c0e8b11 \\
                --language de --output report.pdf
            """)

    @Argument(help: "The table, charts or report.")
    var what: ExportSubject

    @OptionGroup(title: "Of what") var scope: ExportScopeOptions

    @Option(help: "The file format (default: csv; charts: svg).")
    var format: WrittenFormat?

    @Option(help: "The file to write or replace (default: the standard output); for charts, the folder.")
    var output: String?

    @Flag(help: "Begin with a byte order mark, from which Excel detects UTF-8.")
    var bom = false

    @Option(help: "The character between fields (default: a comma).")
    var delimiter: String?

    @Flag(help: "Write titles instead of names: of columns, and of questions and options in answers.")
    var titles = false

    @Flag(help: "Leave texts as they were sent, without the guard against formulas.")
    var raw = false

    @Flag(help: "Add the stars and tags of texts, to submissions and answers.")
    var marks = false

    @Flag(help: "Add what the answers say of the people in the room to `summary` and `questions`.")
    var room = false

    @Flag(help: "Add the grids of statements to `summary` and `questions`.")
    var grids = false

    @Option(help: "The language of a report: de, en or ko (default: en).")
    var language: String?

    @Flag(help: "Don't print the number of rows and the digest, or the number of charts.")
    var quiet = false

    @OptionGroup var options: DataOptions

    func run() async throws {
        let settings = try options.settings()
        try scope.check(for: what)
        if output == "" {
            let remedy = what == .charts ? "name a folder" : "name a file, or leave the option out"
            throw Failure.misuse("--output is empty: \(remedy).")
        }
        if what != .report, language != nil { throw Failure.misuse("--language applies to reports only.") }
        switch what {
        case .table(let kind): try await write(kind, settings)
        case .charts: try await draw(settings)
        case .report: try await report(settings)
        }
    }

    private func write(_ what: ExportKind, _ settings: Settings) async throws {
        let format = try WrittenFormat.table(format)
        if !format.isText, output == nil, Terminal.isOutputStreamInteractive {
            throw Failure.misuse(
                "\(format.rawValue.uppercased()) cannot be shown in a terminal: name a file with --output.")
        }
        if output == nil { try StandardStreams.requireOutput() }
        let exportOptions = ExportOptions(
            format: format, bom: bom, delimiter: try Delimiter.byte(delimiter), titles: titles, raw: raw,
            marks: marks, room: room, grids: grids)
        let scope = scope
        let showsProgress = !quiet && output != nil
        let file = try output.map { try AtomicFile($0) }
        let totals: Export.Totals
        do {
            totals = try await Database.withStore(settings, Log.startCommand(settings)) { store in
                try await store.clock.settle()
                let export = try await Export.prepare(
                    what, of: scope.resolved(in: store), includesAttendees: true, options: exportOptions, from: store)
                guard let file else { return try await export.write { try await Pipe.write($0) } }
                let bar = ProgressBar("Bytes written", total: 0, isShown: showsProgress ? nil : false)
                defer { bar.finish() }
                var count = 0
                let totals = try await export.write { bytes in
                    try file.write(bytes)
                    count += bytes.count
                    bar.update(count)
                }
                try file.commit()
                return totals
            }
        } catch {
            file?.discard()
            throw error
        }
        if !quiet, Terminal.isErrorStreamInteractive { Terminal.printError(Self.sentence(totals)) }
    }

    private func draw(_ settings: Settings) async throws {
        let format = try WrittenFormat.picture(format)
        try refuseOptionsOfTables(for: "charts")
        guard let output else { throw Failure.misuse("Each chart is a file: choose a folder with --output.") }
        let converter: SVGConverter?
        do throws(SVGConversionError) {
            converter = format == .png ? try SVGConverter(environment: ProcessInfo.processInfo.environment) : nil
        } catch {
            throw Failure(error, alternative: "use --format svg")
        }
        try PictureFolder.exists(output)
        let (scope, bar) = (scope, ProgressBar("Pictures written", total: 0, isShown: quiet ? false : nil))
        defer { bar.finish() }
        let count = try await Database.withStore(settings, Log.startCommand(settings)) { store in
            try await store.clock.settle()
            let scope = try await scope.resolved(in: store)
            let folder = try PictureFolder(output)
            let pictures = PictureExport(scope: scope, format: format, folder: folder, converter: converter)
            return try await pictures.write(from: store) { bar.update($0) }
        }
        bar.finish()
        if !quiet { Terminal.print("\(count.grouped) \(count == 1 ? "picture" : "pictures") in \(output).") }
    }

    private func refuseOptionsOfTables(for subject: String) throws(Failure) {
        for (name, isGiven) in [
            ("--bom", bom), ("--delimiter", delimiter != nil), ("--titles", titles), ("--raw", raw), ("--marks", marks),
            ("--room", room), ("--grids", grids),
        ] where isGiven {
            throw .misuse("\(name) applies to tables, not to \(subject).")
        }
    }

    private func report(_ settings: Settings) async throws {
        try refuseOptionsOfTables(for: "reports")
        if format != nil { throw Failure.misuse("A report is a PDF file: leave --format out.") }
        if scope.hasPeriod { throw Failure.misuse("A report is about one meeting: leave the period out.") }
        if output == nil, Terminal.isOutputStreamInteractive {
            throw Failure.misuse("PDF cannot be shown in a terminal: name a file with --output.")
        }
        if output == nil { try StandardStreams.requireOutput() }
        let export = try await ReportExport(meeting: scope.meeting, language: language)
        let file = try output.map { try AtomicFile($0) }
        do {
            let bytes = try await Database.withStore(settings, Log.startCommand(settings)) { store in
                try await store.clock.settle()
                return try await export.pdf(from: store)
            }
            if let file {
                try file.write(bytes)
                try file.commit()
                if !quiet, Terminal.isErrorStreamInteractive { Terminal.printError("\(bytes.count.grouped) bytes") }
            } else {
                try await Pipe.write(bytes)
            }
        } catch {
            file?.discard()
            throw error
        }
    }

    /// Returns the counts and the digest, in the format of `sha256sum`.
    private static func sentence(_ totals: Export.Totals) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let digest = totals.digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return
            "\(totals.rows.grouped) rows, \(totals.bytes.grouped) bytes, SHA-256 \(String(decoding: digest, as: UTF8.self))"
    }
}

extension ExportPeriod: ExpressibleByArgument {}
