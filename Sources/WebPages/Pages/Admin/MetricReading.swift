import Foundation

/// What `/metrics` tells, read back: Prometheus' text format.
struct MetricReading {
    private struct Sample {
        var name: Substring
        var labels: [String: String]
        var value: Double
    }

    private let samples: [Sample]

    init(_ text: String) {
        samples = text.split(separator: "\n").compactMap { line in
            guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...])
            else { return nil }
            let series = line[..<space]
            let name = series.prefix { $0 != "{" }
            return Sample(name: name, labels: Self.labels(series.dropFirst(name.count)), value: value)
        }
    }

    /// `{route="GET /v1/me",status="200"}`
    private static func labels(_ text: Substring) -> [String: String] {
        var labels: [String: String] = [:]
        for match in text.matches(of: /([a-z_]+)="((?:[^"\\]|\\.)*)"/) { labels[String(match.1)] = String(match.2) }
        return labels
    }

    /// All series of a name whose labels are wanted, together.
    func sum(_ name: String, where isWanted: ([String: String]) -> Bool = { _ in true }) -> Double {
        samples.filter { $0.name == name && isWanted($0.labels) }.reduce(0) { $0 + $1.value }
    }

    func whole(_ value: Double) -> String {
        value.formatted(.number.precision(.fractionLength(0)).locale(Locale(identifier: "en")))
    }
}
