import Contract
import Foundation
import StrictJSON

/// A meeting's details as typed in the form.
struct MeetingSheet {
    /// The names of the fields, which are also the member names in the API.
    static let names = [
        "title", "startsAt", "endsAt", "timeZone", "place", "headcount", "lateAfterMinutes", "allowOverlap",
    ]

    private var typed: [String: String] = [:]

    init(_ fields: FormFields) {
        for name in Self.names { typed[name] = fields[name] ?? "" }
    }

    init(_ meeting: Meeting) {
        let zone = TimeZone(identifier: meeting.timeZone) ?? .gmt
        typed = [
            "title": meeting.title, "startsAt": meeting.startsAt.map { LocalTime(zone: zone).field($0) } ?? "",
            "endsAt": meeting.endsAt.map { LocalTime(zone: zone).field($0) } ?? "", "timeZone": meeting.timeZone,
            "place": meeting.place ?? "", "headcount": meeting.headcount.map(String.init) ?? "",
            "lateAfterMinutes": String(meeting.lateAfterMinutes), "allowOverlap": meeting.allowOverlap ? "on" : "",
        ]
    }

    private func text(_ name: String) -> String { (typed[name] ?? "").trimmingCharacters(in: .whitespaces) }

    /// The body of the request that saves all details. Text that can't be parsed is sent unchanged, so that the API
    /// reports the fault.
    var edit: JSONValue {
        let zone = TimeZone(identifier: text("timeZone")) ?? .gmt
        let localTime = LocalTime(zone: zone)
        func moment(_ text: String) -> JSONValue { text.isEmpty ? .null : localTime.json(text) }
        let start = text("startsAt")
        return .object([
            .init("title", .string(text("title"))), .init("startsAt", moment(start)),
            .init("endsAt", moment(localTime.end(text("endsAt"), after: start))),
            .init("timeZone", .string(text("timeZone"))),
            .init("place", text("place").isEmpty ? .null : .string(text("place"))),
            .init("headcount", FormBuilder.number(text("headcount")) ?? .null),
            .init("lateAfterMinutes", FormBuilder.number(text("lateAfterMinutes")) ?? JSONValue(0)),
            .init("allowOverlap", .bool(!text("allowOverlap").isEmpty)),
        ])
    }

    func fields(_ page: PageRequest, _ faults: [ProblemBody.FaultBody]) -> [PageField] {
        Self.names.map { name in
            var field = PageField(
                name: name, label: page.texts("details.\(name == "title" ? "meeting" : name)"),
                value: typed[name] ?? "",
                hint: page.texts.find("details.\(name)-hint") ?? "", faults: page.messages(for: faults, at: "/\(name)"))
            switch name {
            case "startsAt", "endsAt": field.type = "datetime-local"
            case "timeZone":
                var zones = TimeZone.knownTimeZoneIdentifiers
                if !zones.contains("UTC") { zones.insert("UTC", at: 0) }
                if !zones.contains(field.value) { zones.insert(field.value, at: 0) }
                field.kind = .choice(zones.map { ($0, $0) })
            case "headcount", "lateAfterMinutes": field.inputMode = "numeric"
            case "allowOverlap": field.kind = .tick
            default: field.maxLength = 300
            }
            return field
        }
    }
}
