import Contract
import Foundation
import StrictJSON

/// A form that a host is editing, as typed in the fields of the page.
struct FormBuilder: Equatable {
    static let maxQuestions = 100
    /// The length of the longest key, id or comparison that is read. Valid ones are shorter.
    static let maxIDBytes = 100
    /// The largest number of options that are read for one question. It is twice the API's limit, so that the API can
    /// report too many options.
    static let maxReadOptions = 100
    /// The number of Unicode scalars after which a title or a label with white space alone counts as written.
    private static let maxBlankLength = 64
    /// The size of the longest number of a scale that is read, in bytes.
    private static let maxNumberBytes = 32

    struct Option: Equatable {
        /// Empty, or a mark, until the option is saved.
        var id = ""
        var label = ""
        /// The description of a statement, which has no field on the page.
        var note = ""
    }

    struct Question: Equatable {
        /// Empty, or a mark, until the question is saved.
        var key = ""
        var kind: String
        var title = ""
        var description = ""
        var required = false
        var min = "1"
        var max = "5"
        var minLabel = ""
        var maxLabel = ""
        var isNPS = false
        /// The label of the abstention. Empty if the question offers none.
        var abstain = ""
        /// The labels of the points of a grid's scale, one on each line. Empty if only its ends have labels.
        var pointLabels = ""
        /// The options of a choice, or the statements of a grid with their keys.
        var options: [Option] = []
        var multiple = false
        var other = false
        var minSelections = ""
        var maxSelections = ""
        var maxLength = "1000"
        /// More options, one on each line, which are not yet in `options`.
        var lines = ""
        /// The condition under which the question is asked: all of these tests, or any. Empty if it always is.
        var tests: [Test] = []
        var joinsAny = false
        /// Whether the page shows only the question's title.
        var isFolded = false
    }

    var title = ""
    var intro = ""
    var identity = "device"
    var anonymous = false
    /// Empty for the service's default.
    var minimumGroup = ""
    /// The minimum group if the form is anonymous: the typed one, or the service's default.
    var group: Int { min(max(Int(minimumGroup) ?? 3, 1), 1000) }
    var showResults = "never"
    var cap = ""
    var opens = MomentField()
    var closes = MomentField()
    var graceMinutes = ""
    var autoPublish = false
    var oneByOne = false
    var questions: [Question] = []
    /// What the last buttons removed and moved, the newest last.
    var undos: [Undo] = []
}

// MARK: From the stored form

extension FormBuilder {
    init(_ body: FormBody, zone: TimeZone) {
        title = body.title ?? ""
        intro = body.intro ?? ""
        identity = body.identity ?? "open"
        anonymous = body.anonymous ?? false
        minimumGroup = body.minimumGroup.map { $0 == 1 ? "" : String($0) } ?? ""
        showResults = body.showResults ?? "never"
        cap = body.cap.map(String.init) ?? ""
        opens = MomentField(body.opens, zone: zone)
        closes = MomentField(body.closes, zone: zone)
        graceMinutes = body.graceMinutes.map(String.init) ?? ""
        autoPublish = body.autoPublish ?? false
        oneByOne = body.oneByOne ?? false
        questions = body.questions.map(Question.init)
    }
}

extension FormBuilder.Question {
    init(_ body: QuestionBody) {
        self.init(key: body.key, kind: body.kind, title: body.title, description: body.description ?? "")
        required = body.required ?? false
        min = String(body.min ?? 1)
        max = String(body.max ?? 5)
        minLabel = body.minLabel ?? ""
        maxLabel = body.maxLabel ?? ""
        isNPS = body.metric == "nps"
        abstain = body.abstain ?? ""
        pointLabels = (body.labels ?? []).joined(separator: "\n")
        options = (body.options ?? []).map { FormBuilder.Option(id: $0.id, label: $0.label) }
        options += (body.statements ?? []).map {
            FormBuilder.Option(id: $0.key, label: $0.title, note: $0.description ?? "")
        }
        multiple = body.multiple ?? false
        other = body.other ?? false
        minSelections = body.minSelections.map { $0 == 0 ? "" : String($0) } ?? ""
        maxSelections = body.maxSelections.map(String.init) ?? ""
        maxLength = String(body.maxLength ?? 1000)
        joinsAny = body.showIf?.join == .any
        tests = (body.showIf?.tests ?? []).compactMap { (try? JSONValue(encoding: $0)).flatMap(FormBuilder.Test.init) }
    }
}

// MARK: From the fields of the page

extension FormBuilder {
    init(_ fields: FormFields) {
        title = fields["title"] ?? ""
        intro = fields["intro"] ?? ""
        identity = fields["identity"] ?? identity
        anonymous = fields["anonymous"] != nil
        minimumGroup = fields["minimumGroup"] ?? ""
        showResults = fields["showResults"] ?? showResults
        cap = fields["cap"] ?? ""
        opens = MomentField(fields, "opens")
        closes = MomentField(fields, "closes")
        graceMinutes = fields["graceMinutes"] ?? ""
        autoPublish = fields["autoPublish"] != nil
        oneByOne = fields["oneByOne"] != nil
        for index in 0..<Self.maxQuestions {
            guard let kind = fields["q\(index).kind"] else { break }
            questions.append(Question(kind, fields, "q\(index)."))
        }
        undos = fields.values("undo").suffix(Undo.maxCount).compactMap(Undo.init)
    }
}

extension FormBuilder {
    /// A key or an id as it was sent; empty if it is too long. A page repeats keys and ids in the tests of all conditions.
    static func bounded(id: String) -> String { id.utf8.count <= maxIDBytes ? id : "" }

    /// The number of a short text. A page reads the same ends of a scale for the tests of all conditions.
    static func integer(_ text: String) -> Int? { text.utf8.count <= maxNumberBytes ? Int(text) : nil }

    /// Whether a title or a label consists of a little white space. Only its beginning is read, because a page reads the
    /// same titles and labels for the tests of all conditions. A longer one counts as written, and is refused.
    static func isBlank(_ text: String) -> Bool {
        let beginning = text.unicodeScalars.prefix(maxBlankLength + 1)
        return beginning.allSatisfy(\.properties.isWhitespace) && beginning.count <= maxBlankLength
    }
}

extension FormBuilder.Question {
    init(_ kind: String, _ fields: FormFields, _ prefix: String) {
        func text(_ name: String) -> String { fields[prefix + name] ?? "" }
        func id(_ text: String) -> String { FormBuilder.bounded(id: text) }
        func tick(_ name: String) -> Bool { fields[prefix + name] != nil }
        self.init(key: id(text("key")), kind: kind, title: text("title"), description: text("description"))
        (required, multiple, other) = (tick("required"), tick("multiple"), tick("other"))
        (min, max, minLabel, maxLabel) = (text("min"), text("max"), text("minLabel"), text("maxLabel"))
        isNPS = text("metric") == "nps"
        abstain = text("abstain")
        pointLabels = kind == "grid" ? text("pointLabels") : ""
        (minSelections, maxSelections, maxLength) = (text("minSelections"), text("maxSelections"), text("maxLength"))
        options = zip(fields.values(prefix + "option-id"), fields.values(prefix + "option"))
            .prefix(FormBuilder.maxReadOptions).map { FormBuilder.Option(id: id($0), label: $1) }
        for (index, note) in zip(options.indices, fields.values(prefix + "option-note")) { options[index].note = note }
        lines = ["choice", "grid"].contains(kind) ? text("lines") : ""
        tests = zip(fields.values(prefix + "if-question"), fields.values(prefix + "if-check"))
            .prefix(FormBuilder.Test.maxCount).map { FormBuilder.Test(question: id($0), check: id($1)) }
        joinsAny = text("if-join") == "any"
        isFolded = !text("folded").isEmpty
    }
}
