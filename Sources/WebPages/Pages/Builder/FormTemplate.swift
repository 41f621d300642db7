import Contract

/// The templates from which a host can start a form.
enum FormTemplate: String, CaseIterable {
    case retro, lecture, workshop, nps, empty

    /// The questions in the language of `texts`.
    func questions(_ texts: PageTexts) -> [QuestionBody] {
        func rating(_ key: String, min: Int = 1, max: Int = 5, metric: String = "mean") -> QuestionBody {
            var question = QuestionBody.rating(key, texts("template.\(key)"), min: min, max: max, metric: metric)
            question.minLabel = texts("template.\(key)-min")
            question.maxLabel = texts("template.\(key)-max")
            return question
        }
        func choice(_ key: String, _ options: [String], multiple: Bool = false) -> QuestionBody {
            .choice(
                key, texts("template.\(key)"),
                options: options.map { QuestionBody.Option(id: $0, label: texts("template.\(key)-\($0)")) },
                multiple: multiple, other: multiple)
        }
        func text(_ key: String) -> QuestionBody { .text(key, texts("template.\(key)")) }
        let recommend = rating("recommend", min: 0, max: 10, metric: "nps")
        return switch self {
        case .retro: [rating("useful"), rating("pace"), text("keep"), text("change")]
        case .lecture: [rating("clear"), rating("pace"), choice("level", ["easy", "right", "hard"]), text("unclear")]
        case .workshop:
            [
                rating("useful"), rating("learned"),
                choice("balance", ["input", "practice", "talk", "breaks"], multiple: true), recommend, text("change"),
            ]
        case .nps: [recommend, text("why")]
        case .empty: []
        }
    }
}
