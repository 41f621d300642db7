import Contract
import Foundation
import HTTPAPI

/// The state of the form builder after a request, from which its page is rendered.
struct BuilderState {
    /// The stored form and its meeting.
    struct Saved {
        var form: Form
        var meeting: Meeting
        /// Whether anyone is on the attendee list.
        var hasAttendees: Bool
        /// The saved templates, if the form has no questions.
        var templates: [HostReader.TemplateName] = []

        var zone: TimeZone { TimeZone(identifier: meeting.timeZone) ?? .gmt }
    }

    let page: PageRequest
    var builder: FormBuilder
    /// Nil if the session has ended. What was typed stays on the page.
    var saved: Saved?
    /// The ETag of the form that was edited.
    let tag: String
    var faults: [ProblemBody.FaultBody] = []
    var alert: String?
    /// The effect of the button that was pressed.
    var effect: FormBuilder.Effect?
    /// Whether the page contains changes that are not saved.
    var isChanged = false

    private var texts: PageTexts { page.texts }
    private var hasAnswers: Bool { (saved?.meeting.submissions ?? 0) > 0 }
    private var publishedQuestions: [QuestionBody] {
        saved.map { $0.form.version > 0 ? $0.form.definition.questions : [] } ?? []
    }

    func isPublished(_ key: String) -> Bool { !key.isEmpty && publishedQuestions.contains { $0.key == key } }
    /// Whether the published question with this key can have answers.
    func hasAnswers(to key: String) -> Bool { hasAnswers && isPublished(key) }

    var model: BuilderPage {
        let path = "/meetings/\(page.parameter("id"))"
        return BuilderPage(
            title: texts("builder.title"), path: path + "/form", meetingPath: path, heading: saved?.meeting.title ?? "",
            tag: tag, alert: alert, hasFaultLinks: !faultLinks.isEmpty, faultLinks: faultLinks,
            otherFaults: otherFaults.map(page.message), isChanged: isChanged,
            statusMessage: statusMessage, canUndo: !builder.undos.isEmpty, undos: builder.undos.map(\.text),
            formTitle: field("title", maxLength: 300).values,
            intro: field("intro", kind: .lines(2), maxLength: 2000).values,
            templates: FormTemplate.allCases.filter { $0 != .empty }.map {
                .init(action: "begin:\($0.rawValue)", label: texts("template.\($0.rawValue)"))
            },
            hasSavedTemplates: !savedTemplates.isEmpty, savedTemplates: savedTemplates,
            questions: builder.questions.indices.map(question), foldings: foldings,
            kinds: ["rating", "choice", "text", "nps", "grid"].map {
                .init(action: "add:\($0)", label: texts("builder.kind-\($0)"))
            },
            isAdding: effect?.focus == .adding, settings: settings,
            moments: [moment("opens", builder.opens), moment("closes", builder.closes)], moreSettings: moreSettings,
            areSettingsOpen: faults.contains { Self.isSetting($0.pointer) },
            zone: texts("builder.zone", ["zone": saved?.meeting.timeZone ?? "UTC"]), advice: advice,
            script: page.kit.files.address("builder.js"))
    }

    private var savedTemplates: [BuilderPage.Button] {
        (saved?.templates ?? []).map { .init(action: "begin:\($0.id)", label: $0.name) }
    }

    private var foldings: [BuilderPage.Button] {
        guard builder.questions.count > 1 else { return [] }
        return ["fold:all", "fold:none"].map {
            button($0, texts($0 == "fold:all" ? "builder.fold-all" : "builder.unfold-all"))
        }
    }

    private var statusMessage: String {
        guard let effect else { return isChanged ? texts("builder.unsaved") : "" }
        return texts("builder.\(effect.message)", ["place": "\(effect.number)", "count": "\(effect.count)"])
    }

    private var advice: BuilderPage.Advice? {
        guard let saved else { return nil }
        let setting = FormAdvice.Setting(
            headcount: saved.meeting.headcount, hasAttendees: saved.hasAttendees, start: saved.meeting.startsAt,
            end: saved.meeting.endsAt, zone: saved.zone, now: .now)
        let hints = FormAdvice.on(builder, setting)
        // Advice that several questions share is shown once, with links to these questions.
        let names = hints.map(\.text).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let lines = names.map { name in
            let questions = hints.filter { $0.text == name }.compactMap(\.question)
            return BuilderPage.Advice.Line(
                text: texts("advice.\(name)"), hasLinks: !questions.isEmpty,
                links: questions.map {
                    .init(index: $0, label: texts("builder.question-number", ["number": "\($0 + 1)"]))
                })
        }
        return lines.isEmpty ? nil : .init(lines: lines)
    }

    // MARK: Faults

    private static let settingNames = [
        "identity", "anonymous", "minimumGroup", "showResults", "oneByOne", "cap", "opens", "closes", "graceMinutes",
        "autoPublish",
    ]

    private static func isSetting(_ pointer: String) -> Bool {
        settingNames.contains { pointer == "/\($0)" || pointer.hasPrefix("/\($0)/") }
    }

    /// Links to the parts of the page with faults: questions in their order, then the title and the settings.
    private var faultLinks: [BuilderPage.FaultLink] {
        func link(_ id: String, _ name: String, _ found: [ProblemBody.FaultBody]) -> BuilderPage.FaultLink? {
            found.first.map {
                .init(id: id, text: texts("builder.fault-at", ["place": name, "fault": page.message(for: $0)]))
            }
        }
        let ofQuestions = builder.questions.indices.compactMap { index in
            let name = texts("builder.question-number", ["number": "\(index + 1)"])
            return link("q\(index)", name, faults.filter { $0.pointer.hasPrefix("/questions/\(index)/") })
        }
        let others = [
            link("title", texts("builder.form-title"), faults.filter { $0.pointer == "/title" }),
            link("intro", texts("builder.intro"), faults.filter { $0.pointer == "/intro" }),
            link("settings", texts("builder.settings"), faults.filter { Self.isSetting($0.pointer) }),
        ]
        return ofQuestions + others.compactMap(\.self)
    }

    /// Faults that belong to no field of the page.
    private var otherFaults: [ProblemBody.FaultBody] {
        faults.filter { fault in
            !["/title", "/intro"].contains(fault.pointer) && !Self.isSetting(fault.pointer)
                && !builder.questions.indices.contains { fault.pointer.hasPrefix("/questions/\($0)/") }
        }
    }

    // MARK: Fields of the form

    private func field(
        _ name: String, kind: PageField.Kind = .line, mode: String = "", fixed: String = "", maxLength: Int = 0
    ) -> PageField {
        let typed = [
            "title": builder.title, "intro": builder.intro, "identity": builder.identity,
            "anonymous": builder.anonymous ? "on" : "", "minimumGroup": builder.minimumGroup,
            "showResults": builder.showResults, "cap": builder.cap, "graceMinutes": builder.graceMinutes,
            "autoPublish": builder.autoPublish ? "on" : "", "oneByOne": builder.oneByOne ? "on" : "",
        ]
        return PageField(
            name: name, label: texts("builder.\(name == "title" ? "form-title" : name)"), value: typed[name] ?? "",
            kind: kind, inputMode: mode, hint: texts.find("builder.\(name)-hint") ?? "",
            fixed: fixed.isEmpty ? "" : texts("builder.\(fixed)"),
            faults: page.messages(for: faults, at: "/\(name)"), maxLength: maxLength)
    }

    private func choices(_ group: String, _ names: [String]) -> PageField.Kind {
        .choice(names.map { ($0, texts("builder.\(group)-\($0)")) })
    }

    private var settings: [PageField.Values] {
        let fixed = hasAnswers ? "fixed-setting" : ""
        var anonymous = field("anonymous", kind: .tick, fixed: fixed)
        anonymous.notice = AnonymityNotice(minimumGroup: builder.group, texts)
        var minimumGroup = field("minimumGroup", mode: "numeric")
        if hasAnswers, builder.anonymous { minimumGroup.hint = texts("builder.minimumGroup-raised") }
        return [
            field("identity", kind: choices("identity", ["device", "open", "attendee"]), fixed: fixed), anonymous,
            minimumGroup,
            field("showResults", kind: choices("shows", ["never", "afterSubmission", "afterClose", "always"])),
            field("oneByOne", kind: .tick),
        ].map(\.values)
    }

    private var moreSettings: [PageField.Values] {
        [field("graceMinutes", mode: "numeric"), field("autoPublish", kind: .tick), field("cap", mode: "numeric")]
            .map(\.values)
    }

    private func moment(_ name: String, _ moment: MomentField) -> BuilderPage.Moment {
        func part(_ part: String, _ value: String, kind: PageField.Kind = .line, _ faults: [String] = []) -> PageField {
            PageField(
                name: "\(name).\(part)", label: texts("builder.moment-\(part)"), value: value, kind: kind,
                id: "\(name)-\(part)", faults: faults)
        }
        let momentFaults = page.messages(for: faults, at: "/\(name)")
        let isOffset = moment.isOffset
        var mode = part("mode", moment.mode, kind: choices("mode", MomentField.modes), isOffset ? [] : momentFaults)
        mode.label = texts("builder.\(name)")
        mode.hint = texts("builder.\(name)-hint")
        var at = part("at", moment.at)
        at.type = "datetime-local"
        var amount = part("amount", moment.amount, isOffset ? momentFaults : [])
        amount.inputMode = "numeric"
        let unit = part("unit", moment.unit, kind: choices("unit", MomentField.units.map(\.name)))
        return .init(mode: mode.values, at: at.values, amount: amount.values, unit: unit.values)
    }
}
