import Contract

/// A form as its host is editing it: what the fields of the page say, changed by the button that was pressed.
struct FormBuilder {
    private static let most = 100

    var body: FormBody

    init(_ body: FormBody) { self.body = body }

    /// From the fields of the page; a question or an option whose text was emptied is left out.
    init(_ fields: FormFields) {
        body = FormBody(questions: [])
        body.title = fields["title"]
        let intro = fields["intro"] ?? ""
        body.intro = intro.isEmpty ? nil : intro
        body.identity = fields["identity"]
        body.anonymous = fields["anonymous"] != nil
        body.showResults = fields["showResults"]
        for index in 0..<Self.most {
            guard let kind = fields["q\(index).kind"] else { break }
            body.questions.append(Self.question(index, kind, fields))
        }
    }

    private static func question(_ index: Int, _ kind: String, _ fields: FormFields) -> QuestionBody {
        func field(_ name: String) -> String? { fields["q\(index).\(name)"] }
        var question = QuestionBody(
            key: field("key") ?? "", kind: kind, title: field("title") ?? "", required: field("required") != nil)
        question.description = field("description").flatMap { $0.isEmpty ? nil : $0 }
        switch kind {
        case "rating":
            question.min = field("min").flatMap { Int($0) }
            question.max = field("max").flatMap { Int($0) }
            question.minLabel = field("minLabel").flatMap { $0.isEmpty ? nil : $0 }
            question.maxLabel = field("maxLabel").flatMap { $0.isEmpty ? nil : $0 }
            question.metric = question.min == 0 && question.max == 10 ? field("metric") : nil
        case "choice":
            question.multiple = field("multiple") != nil
            question.other = field("other") != nil
            let (ids, labels) = (fields.values("q\(index).option-id"), fields.values("q\(index).option"))
            var taken = Set(ids.filter { !$0.isEmpty })
            question.options = zip(ids, labels).filter { !$0.1.isEmpty }.map { id, label in
                let name = id.isEmpty ? word(for: label, besides: taken, else: "o") : id
                taken.insert(name)
                return QuestionBody.Option(id: name, label: label)
            }
        default: question.maxLength = field("maxLength").flatMap { Int($0) }
        }
        return question
    }

    /// What a button says: `up:2`, `down:2`, `remove:2`, `add:rating`.
    mutating func press(_ button: String) {
        let words = button.split(separator: ":").map(String.init)
        guard words.count == 2 else { return }
        if words[0] == "add" { return add(words[1]) }
        guard let index = Int(words[1]), body.questions.indices.contains(index) else { return }
        switch words[0] {
        case "up" where index > 0: body.questions.swapAt(index, index - 1)
        case "down" where index + 1 < body.questions.count: body.questions.swapAt(index, index + 1)
        case "remove": body.questions.remove(at: index)
        default: break
        }
    }

    private mutating func add(_ kind: String) {
        guard body.questions.count < Self.most else { return }
        switch kind {
        case "rating": body.questions.append(.rating("", "", min: 1, max: 5))
        case "nps": body.questions.append(.rating("", "", min: 0, max: 10, metric: "nps"))
        case "choice": body.questions.append(.choice("", "", options: []))
        case "text": body.questions.append(.text("", "", maxLength: 1000))
        default: break
        }
    }

    /// The definition to be saved: each new question gets a key that stays with it in all rounds, and what the page does not
    /// show stays as it is.
    ///
    /// - Parameter saved: what is there.
    func named(over saved: FormBody) -> FormBody {
        var named = body
        // The smallest group of a form that has just become anonymous is the service's.
        if saved.anonymous == body.anonymous { named.minimumGroup = saved.minimumGroup }
        (named.cap, named.opens, named.closes) = (saved.cap, saved.opens, saved.closes)
        (named.graceMinutes, named.autoPublish) = (saved.graceMinutes, saved.autoPublish)
        for index in named.questions.indices where named.questions[index].multiple == true {
            guard let old = saved.questions.first(where: { $0.key == named.questions[index].key }) else { continue }
            named.questions[index].minSelections = old.minSelections
            named.questions[index].maxSelections = old.maxSelections
        }
        var taken = Set(body.questions.map(\.key))
        for index in named.questions.indices where named.questions[index].key.isEmpty {
            let key = Self.word(for: named.questions[index].title, besides: taken, else: "q")
            named.questions[index].key = key
            taken.insert(key)
        }
        return named
    }

    /// A short name from the first Latin words of a text, else a letter with a number.
    private static func word(for text: String, besides taken: Set<String>, else letter: String) -> String {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.prefix(3).joined(separator: "_").prefix(30)
        let first = name.first?.isLetter == true ? String(name) : letter
        // An option may not be called as an own answer is.
        if first != letter, first != FormSheet.other, !taken.contains(first) { return first }
        return (1...1_000).lazy.map { "\(first)\($0)" }.first { !taken.contains($0) } ?? first
    }
}
