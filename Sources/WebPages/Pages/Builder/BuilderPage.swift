import Contract
import Foundation

/// The page on which a host edits a form, as its template takes it.
struct BuilderPage {
    /// What is saved; nil for somebody whose session has ended, who still has what they typed.
    struct Saved {
        var form: Form
        var meeting: Meeting
        var isListed: Bool

        var zone: TimeZone { TimeZone(identifier: meeting.timeZone) ?? .gmt }
    }

    let page: PageRequest
    let builder: FormBuilder
    let saved: Saved?
    let tag: String
    var faults: [ProblemBody.FaultBody] = []
    var alert: String?
    var effect: FormBuilder.Effect?
    /// Whether something stands here that is not saved.
    var isChanged = false

    private var texts: PageTexts { page.texts }
    private var hasAnswers: Bool { (saved?.meeting.submissions ?? 0) > 0 }

    var values: [String: Any] {
        let path = "/meetings/\(page.parameter("id"))"
        var values: [String: Any] = [
            "title": texts("builder.title"), "isHost": true, "path": path + "/form", "meeting": path, "tag": tag,
            "heading": saved?.meeting.title ?? "", "hasAlert": alert != nil, "alert": alert ?? "",
            "isChanged": isChanged, "said": said, "script": page.kit.files.address("builder.js"),
            "others": otherFaults.map { ["detail": page.say($0)] },
            "formTitle": field("title", maxLength: 300).values.templateContext,
            "intro": field("intro", kind: .lines(2), maxLength: 2000).values.templateContext,
            "questions": builder.questions.indices.map(question), "isEmpty": builder.questions.isEmpty,
            "isAdding": effect?.focus == .adding,
            "templates": FormTemplate.allCases.filter { $0 != .empty }.map {
                ["press": "begin:\($0.rawValue)", "words": texts("template.\($0.rawValue)")]
            },
            "kinds": ["rating", "choice", "text", "nps"].map {
                ["press": "add:\($0)", "words": texts("builder.kind-\($0)")]
            },
            "settings": settings, "moments": [moment("opens", builder.opens), moment("closes", builder.closes)],
            "rest": rest, "settingsOpen": faults.contains { Self.isSetting($0.pointer) },
            "zone": texts("builder.zone", ["zone": saved?.meeting.timeZone ?? "UTC"]),
        ]
        let advice = self.advice
        values["advice"] = advice
        values["hasAdvice"] = !advice.isEmpty
        return values
    }

    private var said: String {
        guard let effect else { return isChanged ? texts("builder.unsaved") : "" }
        return texts("builder.\(effect.said)", ["place": "\(effect.place)", "count": "\(effect.count)"])
    }

    private var advice: [[String: Any]] {
        guard let saved else { return [] }
        let setting = FormAdvice.Setting(
            headcount: saved.meeting.headcount, isListed: saved.isListed, start: saved.meeting.startsAt,
            end: saved.meeting.endsAt, zone: saved.zone, now: .now)
        let all = FormAdvice.on(builder, setting)
        // One that holds for several questions is said once.
        let kinds = all.map(\.text).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return kinds.map { kind in
            let places = all.filter { $0.text == kind }.compactMap(\.question)
            return [
                "words": texts("advice.\(kind)"), "hasPlaces": !places.isEmpty,
                "places": places.map {
                    ["place": $0, "link": texts("builder.question-number", ["number": "\($0 + 1)"])]
                },
            ]
        }
    }

    // MARK: Faults

    private static let settingNames = [
        "identity", "anonymous", "minimumGroup", "showResults", "cap", "opens", "closes", "graceMinutes", "autoPublish",
    ]

    private static func isSetting(_ pointer: String) -> Bool {
        settingNames.contains { pointer == "/\($0)" || pointer.hasPrefix("/\($0)/") }
    }

    /// Those that no field of the page stands for.
    private var otherFaults: [ProblemBody.FaultBody] {
        faults.filter { fault in
            !["/title", "/intro"].contains(fault.pointer) && !Self.isSetting(fault.pointer)
                && !builder.questions.indices.contains { fault.pointer.hasPrefix("/questions/\($0)/") }
        }
    }

    // MARK: Fields of the form

    private func field(
        _ name: String, kind: PageField.Kind = .line, mode: String = "", hint: String = "", fixed: String = "",
        maxLength: Int = 0
    ) -> PageField {
        let typed = [
            "title": builder.title, "intro": builder.intro, "identity": builder.identity,
            "anonymous": builder.anonymous ? "on" : "", "minimumGroup": builder.minimumGroup,
            "showResults": builder.showResults, "cap": builder.cap, "graceMinutes": builder.graceMinutes,
            "autoPublish": builder.autoPublish ? "on" : "",
        ]
        return PageField(
            name: name, label: texts("builder.\(name == "title" ? "form-title" : name)"), value: typed[name] ?? "",
            kind: kind, inputMode: mode,
            hint: hint.isEmpty ? "" : texts("builder.\(hint)"), fixed: fixed.isEmpty ? "" : texts("builder.\(fixed)"),
            faults: page.say(faults, at: "/\(name)"), maxLength: maxLength)
    }

    private func choices(_ group: String, _ names: [String]) -> PageField.Kind {
        .choice(names.map { ($0, texts("builder.\(group)-\($0)")) })
    }

    private var settings: [[String: Any]] {
        let fixed = hasAnswers ? "fixed-setting" : ""
        var anonymous = field("anonymous", kind: .tick, fixed: fixed)
        anonymous.hint = texts("anonymity.host", ["minimum": "\(builder.group)"])
        return [
            field(
                "identity", kind: choices("identity", ["device", "open", "attendee"]), hint: "identity-hint",
                fixed: fixed),
            anonymous,
            field(
                "minimumGroup", mode: "numeric",
                hint: hasAnswers && builder.anonymous ? "minimumGroup-raised" : "minimumGroup-hint"),
            field(
                "showResults", kind: choices("shows", ["never", "afterSubmission", "afterClose", "always"]),
                hint: "showResults-hint"),
        ].map(\.values.templateContext)
    }

    private var rest: [[String: Any]] {
        [
            field("graceMinutes", mode: "numeric", hint: "graceMinutes-hint"),
            field("autoPublish", kind: .tick, hint: "autoPublish-hint"),
            field("cap", mode: "numeric", hint: "cap-hint"),
        ].map(\.values.templateContext)
    }

    private func moment(_ name: String, _ moment: MomentField) -> [String: Any] {
        func part(_ part: String, _ value: String, kind: PageField.Kind = .line, _ faults: [String] = []) -> PageField {
            PageField(
                name: "\(name).\(part)", label: texts("builder.moment-\(part)"), value: value, kind: kind,
                id: "\(name)-\(part)", faults: faults)
        }
        let own = page.say(faults, at: "/\(name)")
        let isOffset = moment.isOffset
        var mode = part("mode", moment.mode, kind: choices("mode", MomentField.modes), isOffset ? [] : own)
        mode.label = texts("builder.\(name)")
        mode.hint = texts("builder.\(name)-hint")
        var at = part("at", moment.at)
        at.type = "datetime-local"
        var amount = part("amount", moment.amount, isOffset ? own : [])
        amount.inputMode = "numeric"
        let unit = part("unit", moment.unit, kind: choices("unit", MomentField.units.map(\.name)))
        return ["mode": mode, "at": at, "amount": amount, "unit": unit].mapValues(\.values.templateContext)
    }
}
