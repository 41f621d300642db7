import Foundation
import Logging
import StrictJSON

/// Writes the log as one JSON object per line: `time`, `level`, `label`, `module` and `message`, then the metadata.
struct JSONLogHandler: LogHandler {
    private static let ownNames: Set<String> = ["time", "level", "label", "module", "message"]
    /// The id that the HTTP engine assigns to a request. It is used nowhere else. Lines about a request have `request`
    /// instead.
    private static let engineRequestID = "hb.request.id"

    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let stream: any TextOutputStream & Sendable

    init(label: String, stream: any TextOutputStream & Sendable) {
        self.label = label
        self.stream = stream
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var stream = stream
        stream.write(line(for: event, at: Date()).text + "\n")
    }

    func line(for event: LogEvent, at time: Date) -> JSONValue {
        let ownMembers: [JSONValue.Member] = [
            .init("time", .string(Self.text(of: time))), .init("level", .string(event.level.rawValue)),
            .init("label", .string(label)), .init("module", .string(event.source)),
            .init("message", .string(event.message.description)),
        ]
        // To keep names unique, metadata with one of the handler's names gets a prefix.
        let named = allMetadata(of: event).map { key, value in
            (Self.ownNames.contains(key) ? "metadata." + key : key, Self.json(value))
        }
        let metadataMembers = Dictionary(named) { $1 }.sorted { $0.key < $1.key }
            .map { JSONValue.Member($0.key, $0.value) }
        return .object(ownMembers + metadataMembers)
    }

    /// The metadata of the logger, of its provider and of the event. Later ones override earlier ones.
    private func allMetadata(of event: LogEvent) -> Logger.Metadata {
        var merged = metadata
        merged[Self.engineRequestID] = nil
        for layer in [metadataProvider?.get(), event.metadata] {
            merged.merge(layer ?? [:]) { $1 }
        }
        if let error = event.error, merged["error"] == nil { merged["error"] = "\(error)" }
        return merged
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string(value.description)
        case .array(let values): .array(values.map(json))
        case .dictionary(let values):
            .object(values.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, json($0.value)) })
        }
    }

    /// `2026-11-21T09:30:00.250Z`.
    private static func text(of time: Date) -> String {
        let milliseconds = Int((time.timeIntervalSince1970 * 1000).rounded(.down)) % 1000
        let digits = String(milliseconds)
        return RFC3339.format(time).dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }
}
