import ArgumentParser
import Exports

/// The file format of an exported chart.
enum PictureFormat: String, Sendable, CaseIterable {
    case svg, png
}

/// The content of an export: a table, a chart for each question, or the report of a meeting.
enum ExportSubject: Equatable, Sendable, ExpressibleByArgument {
    case table(ExportKind)
    case charts
    case report

    init?(argument: String) {
        if argument == "charts" {
            self = .charts
        } else if argument == "report" {
            self = .report
        } else if let kind = ExportKind(rawValue: argument) {
            self = .table(kind)
        } else {
            return nil
        }
    }

    static let allValueStrings = ExportKind.allCases.map(\.rawValue) + ["charts", "report"]
}

/// The value of `--format`. Tables and charts have different formats.
enum WrittenFormat: Equatable, Sendable, ExpressibleByArgument {
    case table(ExportFormat)
    case picture(PictureFormat)

    init?(argument: String) {
        if let format = ExportFormat(rawValue: argument) {
            self = .table(format)
        } else if let format = PictureFormat(rawValue: argument) {
            self = .picture(format)
        } else {
            return nil
        }
    }

    static let allValueStrings = ExportFormat.allCases.map(\.rawValue) + PictureFormat.allCases.map(\.rawValue)

    /// Returns the format of a table; CSV if nil.
    static func table(_ format: WrittenFormat?) throws(Failure) -> ExportFormat {
        switch format {
        case nil: return .csv
        case .table(let format): return format
        case .picture(let format):
            throw .misuse(
                "--format \(format.rawValue) is for charts: a table is written as \(names(ExportFormat.self)).")
        }
    }

    /// Returns the format of a picture; SVG if nil.
    static func picture(_ format: WrittenFormat?) throws(Failure) -> PictureFormat {
        switch format {
        case nil: return .svg
        case .picture(let format): return format
        case .table(let format):
            throw .misuse(
                "--format \(format.rawValue) is for tables: charts are written as \(names(PictureFormat.self)).")
        }
    }

    private static func names<Format: CaseIterable & RawRepresentable<String>>(_ format: Format.Type) -> String {
        let names = format.allCases.map(\.rawValue)
        return names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "") : names.joined()
    }
}
