import Foundation
import StrictJSON

extension Trend {
    /// The contract's members after the series' id.
    public var members: [JSONValue.Member] {
        [
            .init("key", .string(question.key)),
            .init("kind", .string(question.kind.name.rawValue)),
            .init("title", .string(question.title)),
            .init("labels", .array(labels.map { .string($0) })),
            .init("rounds", .array(rounds.map { JSONValue($0.round) })),
            .init("meetingIds", .array(rounds.map { .string($0.meetingID.lowercased) })),
            .init("startsAt", .array(rounds.map { JSONValue($0.startsAt.map(RFC3339.format)) })),
            .init("n", .array(answers.map { JSONValue($0) })),
            .init("responseRate", .array(rounds.map { JSONValue($0.responseRate) })),
            .init("datasets", .array(lines.map(\.json))),
            .init("changes", .array(changes.map(\.json))),
            .init("changesCut", .bool(isCut)),
            .init("leftOut", .array(leftOut.map { JSONValue($0) })),
        ]
    }
}

extension Trend.Line {
    fileprivate var json: JSONValue {
        func numbers(_ name: String, _ number: (Trend.Point) -> Double?) -> JSONValue.Member {
            .init(name, .array(points.map { JSONValue($0.flatMap(number)) }))
        }
        return .object([
            .init("id", .string(id)), .init("label", .string(label)),
            numbers("data") { $0.value }, numbers("low") { $0.interval?.low }, numbers("high") { $0.interval?.high },
            numbers("change") { $0.change?.value }, numbers("changeLow") { $0.change?.interval?.low },
            numbers("changeHigh") { $0.change?.interval?.high },
        ])
    }
}

extension Trend.Change {
    var json: JSONValue {
        .object([
            .init("round", JSONValue(round)), .init("version", JSONValue(version)),
            .init("change", .string(kind.name)), .init("option", JSONValue(option)),
            .init("from", JSONValue(from)), .init("to", JSONValue(to)),
        ])
    }
}
