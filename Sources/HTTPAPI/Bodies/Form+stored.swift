import Contract
import Domain
import Store

extension Contract.Form {
    init(_ form: StoredForm) {
        self.init(
            id: ResourceID(form.id), meetingId: ResourceID(form.meetingID), code: form.code,
            joinCode: form.joinCode, state: form.state.rawValue, finalising: form.isFinalising,
            version: form.version, opensAt: form.life.opensAt, closesAt: form.life.closesAt,
            retentionDays: form.retention.days, answersDeleteAt: form.retention.deletesAt,
            answersDeletedAt: form.retention.deletedAt,
            definition: FormBody(form.definition))
    }
}

extension Contract.PublicForm {
    init(_ form: StoredPublicForm) {
        let definition = form.definition ?? FormDefinition()
        self.init(
            code: form.code, title: form.title, intro: definition.intro, identity: definition.identity.rawValue,
            anonymous: definition.anonymous, minimumGroup: definition.anonymous ? definition.minimumGroup : nil,
            showResults: definition.showResults.rawValue, oneByOne: definition.oneByOne, state: form.state.rawValue,
            version: form.version, opensAt: form.opensAt, closesAt: form.closesAt, retentionDays: form.retention.days,
            answersDeleteAt: form.retention.deletesAt, answersDeletedAt: form.retention.deletedAt,
            picture: form.picture.map {
                Picture(
                    path: "/f/\(form.code)/picture/\($0.name)", width: $0.width, height: $0.height, alt: $0.alt)
            },
            decided: form.decided.isEmpty
                ? nil : form.decided.map { Decided(text: $0.text, done: $0.isDone) },
            questions: definition.questions.map { QuestionBody($0) })
    }
}

extension FormBody {
    /// The complete definition, including values that equal the defaults.
    init(_ form: FormDefinition) {
        self.init(
            title: form.title, intro: form.intro, identity: form.identity.rawValue, anonymous: form.anonymous,
            minimumGroup: form.minimumGroup, showResults: form.showResults.rawValue, cap: form.cap,
            opens: form.opens.map { MomentBody($0) }, closes: form.closes.map { MomentBody($0) },
            graceMinutes: form.graceMinutes, autoPublish: form.autoPublish, oneByOne: form.oneByOne,
            questions: Question.groups(form.questions).compactMap { QuestionBody(group: $0) })
    }
}

extension MomentBody {
    fileprivate init(_ moment: Moment) {
        switch moment {
        case .instant(let date): self = .instant(date)
        case .offset(let anchor, let minutes): self = .offset(from: anchor.rawValue, minutes: minutes)
        }
    }
}

extension Contract.ShowIf {
    fileprivate init(_ condition: Domain.ShowIf) {
        self.init(
            condition.join == .all ? .all : .any,
            condition.tests.map { test in
                switch test.comparison {
                case .equals(let value): Test(test.question, is: Value(value))
                case .differs(let value): Test(test.question, isNot: Value(value))
                case .atLeast(let rating): Test(test.question, atLeast: rating)
                case .atMost(let rating): Test(test.question, atMost: rating)
                case .answered(let isAnswered): Test(test.question, answered: isAnswered)
                }
            })
    }
}

extension Contract.ShowIf.Value {
    fileprivate init(_ value: Domain.ShowIf.Value) {
        switch value {
        case .option(let id): self = .option(id)
        case .rating(let rating): self = .rating(rating)
        }
    }
}

extension QuestionBody.Grid {
    init(_ grid: Domain.Grid) { self.init(key: grid.key, title: grid.title, description: grid.description) }
}

extension QuestionBody {
    /// A grid with its statements, or a single question. Nil if the group is empty.
    fileprivate init?(group: [Question]) {
        guard let first = group.first else { return nil }
        self.init(first)
        guard let grid = first.grid else { return }
        (key, kind, title, description, self.grid) = (grid.key, Domain.Grid.kindName, grid.title, grid.description, nil)
        statements = group.map { question in
            var statement = Statement(key: question.key, title: question.title, description: question.description)
            statement.$description.isApplicable = true
            return statement
        }
    }

    /// Fields of the question's kind without a value are null. Fields of other kinds are omitted.
    init(_ question: Question) {
        self.init(
            key: question.key, kind: question.kind.name.rawValue, title: question.title,
            description: question.description, required: question.required)
        $description.isApplicable = true
        showIf = question.showIf.map { Contract.ShowIf($0) }
        switch question.kind {
        case .rating(let rating):
            (min, max, metric) = (rating.min, rating.max, rating.metric.rawValue)
            (minLabel, maxLabel) = (rating.minLabel, rating.maxLabel)
            $minLabel.isApplicable = true
            $maxLabel.isApplicable = true
            (abstain, labels) = (rating.abstain, rating.labels)
            grid = question.grid.map { Grid($0) }
        case .choice(let choice):
            multiple = choice.multiple
            if choice.multiple {
                (minSelections, maxSelections) = (choice.minSelections, choice.maxSelections)
                $maxSelections.isApplicable = true
            }
            options = choice.options.map { Option(id: $0.id, label: $0.label) }
            other = choice.other
        case .text(let maxLength):
            self.maxLength = maxLength
        }
    }
}
